/* Stan programs as BridgeStan 2 would compile them, by hand: the C interface without Stan. One of these is compiled:

   SCHOOLS   data { int J; vector[J] y; vector<lower=0>[J] sigma; }
             parameters { real mu; real<lower=0> tau; vector[J] z; }
             transformed parameters { vector[J] theta = mu + tau * z; }
             model { mu ~ normal(0, 5); tau ~ cauchy(0, 5); z ~ std_normal(); y ~ normal(theta, sigma); }

   SHAPES    parameters { real a; matrix[2, 3] B; array[2, 1, 2] real c; }
             model { if (a > 6) reject("a is ", a); each element ~ normal(its number from 0, 1 + its number) }
             where elements are numbered in the order in which Stan has them, the first index fastest

   REFUSES makes the latter refuse every position. THREADS says whether STAN_THREADS was set. Without it two threads at once in a program make its density NaN,
   and its parameters and its construction an error. */

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 64
#define LOG_SQRT_TAU 0.91893853320467274178

typedef struct {
    int n;
    double y[MOST], sigma[MOST];
    char names[4096], parameters[4096];
} bs_model;
typedef struct bs_rng bs_rng;

int bs_major_version = 2, bs_minor_version = 9, bs_patch_version = 0;

static void fail(char **words, const char *text) {
    if (words) *words = strdup(text);
}

void bs_free_error_msg(char *words) { free(words); }

/* log normal(x | m, s), whose slope is added */
static double normal(double x, double m, double s, double *slope) {
    double z = (x - m) / s;
    if (slope) *slope -= z / s;
    return -0.5 * z * z - log(s) - LOG_SQRT_TAU;
}

/* threads in a program */
static int inside = 0;
static double enter(void) { return __atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST) > 1 ? NAN : 0.0; }
static double leave(void) {
    for (volatile int i = 0; i < 200; i++) {}
    return __atomic_fetch_sub(&inside, 1, __ATOMIC_SEQ_CST) > 1 ? NAN : 0.0;
}

#ifdef SCHOOLS
static void add(char *names, const char *name) {
    if (*names) strcat(names, ",");
    strcat(names, name);
}

static int numbers(const char *data, const char *name, double *found) {
    const char *at = strstr(data, name);
    int n = 0;
    if (!at || !(at = strchr(at, '['))) return -1;
    while (*at != ']' && n < MOST) {
        char *end;
        found[n++] = strtod(at + 1, &end);
        at = end + strspn(end, " \n");
        if (*at != ',' && *at != ']') return -1;
    }
    return n;
}

static const char *construct(bs_model *m, const char *data) {
    char name[32];
    m->n = numbers(data, "\"y\"", m->y);
    if (m->n < 0) return "Exception: variable does not exist; processing stage=data initialization; variable name=y";
    if (numbers(data, "\"sigma\"", m->sigma) != m->n) return "Exception: mismatch in dimension declared and found in context; variable name=sigma";
    for (int k = 0; k < m->n; k++) if (!(m->sigma[k] > 0)) return "Exception: sigma[1] must be greater than or equal to 0\n";
    add(m->parameters, "mu");
    add(m->parameters, "tau");
    for (int k = 0; k < m->n; k++) { snprintf(name, 32, "z.%d", k + 1); add(m->parameters, name); }
    strcpy(m->names, m->parameters);
    for (int k = 0; k < m->n; k++) { snprintf(name, 32, "theta.%d", k + 1); add(m->names, name); }
    return NULL;
}

static int coordinates(const bs_model *m) { return m->n + 2; }

static const char *density(const bs_model *m, bool jacobian, const double *x, double *value, double *g) {
    double tau = exp(x[1]), d_tau = 0.0, sum = 0.0, none = 0.0;
    double *d_mu = g ? g : &none;
    for (int k = 0; g && k < m->n + 2; k++) g[k] = 0.0;
    sum += normal(x[0], 0, 5, d_mu);
    sum += -log(M_PI * 5) - log1p(tau * tau / 25);
    d_tau -= 2 * tau / (25 + tau * tau);
    for (int k = 0; k < m->n; k++) {
        double z = x[k + 2], d_theta = 0.0, ignored = 0.0;
        sum += normal(z, 0, 1, g ? &g[k + 2] : &ignored);
        sum += normal(x[0] + tau * z, m->y[k], m->sigma[k], &d_theta);
        *d_mu += d_theta;
        d_tau += d_theta * z;
        if (g) g[k + 2] += d_theta * tau;
    }
    if (jacobian) sum += x[1];
    if (g) g[1] = d_tau * tau + (jacobian ? 1.0 : 0.0);
    *value = sum;
    return NULL;
}

static void constrain(const bs_model *m, bool transformed, const double *x, double *found) {
    memcpy(found, x, sizeof(double) * (m->n + 2));
    found[1] = exp(x[1]);
    for (int k = 0; transformed && k < m->n; k++) found[m->n + 2 + k] = found[0] + found[1] * found[2 + k];
}
#else
static const char *construct(bs_model *m, const char *data) {
    (void)data;
    m->n = 11;
    strcpy(m->parameters, "a,B.1.1,B.2.1,B.1.2,B.2.2,B.1.3,B.2.3,c.1.1.1,c.2.1.1,c.1.1.2,c.2.1.2");
    strcpy(m->names, m->parameters);
    return NULL;
}

static int coordinates(const bs_model *m) { return m->n; }

static const char *density(const bs_model *m, bool jacobian, const double *x, double *value, double *g) {
    (void)jacobian;
#ifdef REFUSES
    return "Exception: a is too large\n";
#endif
    if (x[0] > 6) return "Exception: a is too large\n";
    *value = 0;
    for (int k = 0; k < m->n; k++) {
        double slope = 0.0;
        *value += normal(x[k], k, 1 + k, &slope);
        if (g) g[k] = slope;
    }
    return NULL;
}

static void constrain(const bs_model *m, bool transformed, const double *x, double *found) {
    (void)transformed;
    memcpy(found, x, sizeof(double) * m->n);
}
#endif

bs_model *bs_model_construct(const char *data, unsigned int seed, char **words) {
    (void)seed;
    bs_model *m = calloc(1, sizeof(bs_model));
    double alone = enter();
    const char *wrong = construct(m, data);
    alone += leave();
#ifndef THREADS
    if (isnan(alone)) wrong = "Exception: two threads are in the program";
#else
    (void)alone;
#endif
    if (!wrong) return m;
    fail(words, wrong);
    free(m);
    return NULL;
}

void bs_model_destruct(bs_model *m) {
    enter();
    free(m);
    leave();
}

#ifdef SCHOOLS
const char *bs_name(const bs_model *m) { (void)m; return "schools_model"; }
#else
const char *bs_name(const bs_model *m) { (void)m; return "shapes_model"; }
#endif

const char *bs_model_info(const bs_model *m) {
    (void)m;
#ifdef THREADS
    return "Stan version: none\nStan C++ Defines:\n\tSTAN_THREADS=true\n\tSTAN_MPI=false\n";
#else
    return "Stan version: none\nStan C++ Defines:\n\tSTAN_THREADS=false\n\tSTAN_MPI=false\n";
#endif
}

const char *bs_param_names(const bs_model *m, bool transformed, bool generated) {
    (void)generated;
    return transformed ? m->names : m->parameters;
}

const char *bs_param_unc_names(const bs_model *m) { return m->parameters; }

int bs_param_unc_num(const bs_model *m) { return coordinates(m); }

int bs_param_num(const bs_model *m, bool transformed, bool generated) {
    int n = 1;
    for (const char *at = bs_param_names(m, transformed, generated); *at; at++) n += *at == ',';
    return n;
}

int bs_param_constrain(const bs_model *m, bool transformed, bool generated, const double *x, double *found, bs_rng *rng, char **words) {
    (void)generated, (void)rng;
    double alone = enter();
    constrain(m, transformed, x, found);
    alone += leave();
#ifndef THREADS
    if (isnan(alone)) {
        fail(words, "Exception: two threads are in the program");
        return -1;
    }
#else
    (void)alone, (void)words;
#endif
    return 0;
}

int bs_log_density_gradient(const bs_model *m, bool propto, bool jacobian, const double *x, double *value, double *g, char **words) {
    /* constants are dropped by nobody here */
    if (propto) {
        fail(words, "this program has its constants");
        return -1;
    }
    double alone = enter();
    const char *wrong = density(m, jacobian, x, value, g);
    alone += leave();
#ifndef THREADS
    *value += alone;
#else
    (void)alone;
#endif
    if (!wrong) return 0;
    fail(words, wrong);
    return -1;
}

int bs_log_density(const bs_model *m, bool propto, bool jacobian, const double *x, double *value, char **words) {
    return bs_log_density_gradient(m, propto, jacobian, x, value, NULL, words);
}

/* what the package of BridgeStan loads besides, and these programs lack */
static int lack(char **words) {
    fail(words, "this program lacks the function");
    return -1;
}

void bs_set_print_callback(void *callback, char **words) { (void)callback, (void)words; }

int bs_param_unconstrain(const bs_model *m, const double *found, double *x, char **words) {
    (void)m, (void)found, (void)x;
    return lack(words);
}

int bs_param_unconstrain_json(const bs_model *m, const char *json, double *x, char **words) {
    (void)m, (void)json, (void)x;
    return lack(words);
}

int bs_param_initialize(const bs_model *m, const char *json, bs_rng *rng, double radius, int tries, bool check, double *x, char **words) {
    (void)m, (void)json, (void)rng, (void)radius, (void)tries, (void)check, (void)x;
    return lack(words);
}

int bs_log_density_hessian(const bs_model *m, bool propto, bool jacobian, const double *x, double *value, double *g, double *h, char **words) {
    (void)m, (void)propto, (void)jacobian, (void)x, (void)value, (void)g, (void)h;
    return lack(words);
}

int bs_log_density_hessian_vector_product(const bs_model *m, bool propto, bool jacobian, const double *x, const double *v, double *value,
                                          double *hv, char **words) {
    (void)m, (void)propto, (void)jacobian, (void)x, (void)v, (void)value, (void)hv;
    return lack(words);
}

bs_rng *bs_rng_construct(unsigned int seed, char **words) {
    (void)seed;
    lack(words);
    return NULL;
}

void bs_rng_destruct(bs_rng *rng) { (void)rng; }
