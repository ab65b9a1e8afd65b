"""OHSMC (Zhao et al. 2024, algorithm 3) on the network of the experiment `pbnn mnist` in JAX, for its time beside ours.

    python3 experiments/examples/pbnn/peer.py [ITERATIONS [PARTICLES]]

Prints the seconds of an iteration with a minibatch of 20 digits: the mean of ITERATIONS (5) compiled ones with 100 particles. The data are
random: the time does not depend on them.
"""

import sys
import time

import jax
import jax.numpy as jnp

iterations = int(sys.argv[1]) if len(sys.argv) > 1 else 5
particles = int(sys.argv[2]) if len(sys.argv) > 2 else 100
BATCH, RATE, VARIANCE = 20, 0.002, 0.01


def conv(x, w, b):
    y = jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NCHW", "OIHW", "NCHW"))
    return jax.nn.relu(y + b[:, None, None])


def pool(x):
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 2, 2, w // 2, 2).mean((3, 5))


def log_likelihood(psi, phi, x, label):
    """Of one particle: phi holds the 320 weights of the first convolution."""
    x = pool(conv(x, phi[:288].reshape(32, 1, 3, 3), phi[288:]))
    x = pool(conv(x, psi["conv"], psi["conv_bias"])).reshape(x.shape[0], -1)
    x = jax.nn.relu(x @ psi["dense"] + psi["dense_bias"])
    scores = jax.nn.log_softmax(x @ psi["out"] + psi["out_bias"])
    return scores[jnp.arange(BATCH), label].sum()


def step(state, key):
    psi, phi, log_w, first, second, count = state
    resample, move, data = jax.random.split(key, 3)
    x = jax.random.uniform(data, (BATCH, 1, 28, 28), jnp.float32)
    label = jax.random.randint(data, (BATCH,), 0, 10)
    places = (jnp.arange(particles) + jax.random.uniform(resample, (particles,))) / particles
    phi = phi[jnp.searchsorted(jnp.cumsum(jax.nn.softmax(log_w)), places).clip(0, particles - 1)]
    phi = phi + VARIANCE**0.5 * jax.random.normal(move, phi.shape, phi.dtype)
    # one forward and one backward pass: the weights are known between them
    ll, back = jax.vjp(lambda psi: jax.vmap(lambda one: log_likelihood(psi, one, x, label))(phi), psi)
    (gradient,) = back(jax.nn.softmax(ll))
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradient)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradient)
    count = count + 1
    psi = jax.tree.map(
        lambda p, m, v: p + RATE * (m / (1 - 0.9**count)) / (jnp.sqrt(v / (1 - 0.999**count)) + 1e-8), psi, first, second
    )
    return (psi, phi, ll, first, second, count), ll.mean()


shapes = {"conv": (64, 32, 3, 3), "conv_bias": (64,), "dense": (3136, 256), "dense_bias": (256,), "out": (256, 10), "out_bias": (10,)}
keys = jax.random.split(jax.random.key(1), len(shapes) + 2)
psi = {name: 0.03 * jax.random.normal(key, shape) for key, (name, shape) in zip(keys, shapes.items())}
zero = jax.tree.map(jnp.zeros_like, psi)
phi = jax.random.normal(keys[-1], (particles, 320))
run = jax.jit(lambda state, keys: jax.lax.scan(step, state, keys))
state = (psi, phi, jnp.zeros(particles), zero, zero, 0.0)
jax.block_until_ready(run(state, jax.random.split(keys[-2], iterations)))
start = time.perf_counter()
jax.block_until_ready(run(state, jax.random.split(keys[-2], iterations)))
print((time.perf_counter() - start) / iterations)
