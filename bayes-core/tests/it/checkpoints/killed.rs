//! The real process is killed at random moments.

use super::*;
use bayes_core::rng::{Key, Purpose, RngExt};
use std::process::{Command, Stdio};
use std::time::Instant;

/// The killed process: one run, whose result is written at the end.
#[test]
#[ignore = "started and killed by the test below"]
fn child() {
    let variable = |name| std::env::var(name).unwrap();
    let folder = PathBuf::from(variable("BAYES_TEST_FOLDER"));
    let density = Slow {
        pause: Duration::from_micros(300),
        ..Slow::new()
    };
    let run = in_folder(&variable("BAYES_TEST_ENGINE"), &folder).run_on(&density);
    run.unwrap().save(folder.join("result")).unwrap();
}

/// Starts the process and kills it after a random time, again and again until it ends; returns the number of kills.
fn killed_until_done(name: &str, folder: &Path) -> usize {
    let mut stream = Key::new(5, Purpose::User).stream();
    let mut killed = 0;
    loop {
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "checkpoints::killed::child", "--ignored"])
            .env("BAYES_TEST_FOLDER", folder)
            .env("BAYES_TEST_ENGINE", name)
            .stdout(Stdio::null())
            .spawn()
            .expect("this program");
        // later and later, so that a slow machine makes progress; the sum of all lives is three times the last one
        let most = 60.0 * 1.5f64.powi((killed as i32 - 10).max(0));
        let life = Duration::from_secs_f64(1e-3 * (20.0 + most * stream.random::<f64>()));
        let start = Instant::now();
        while start.elapsed() < life {
            if let Some(status) = child.try_wait().expect("it was started here") {
                assert!(status.success(), "{name}: {status}");
                return killed;
            }
            sleep(Duration::from_millis(1));
        }
        child
            .kill()
            .and_then(|()| child.wait())
            .expect("it was started here");
        killed += 1;
        assert!(killed < 100, "{name} does not end");
    }
}

#[test]
fn killed_at_random_moments_it_gives_the_bytes_of_a_run_that_never_was() {
    for name in ENGINES {
        let (_base, folder) = folder();
        let killed = killed_until_done(name, &folder);
        assert!(killed >= 5, "{name} was killed only {killed} times");
        let found = Run::load(folder.join("result")).unwrap();
        let whole = engine(name).run_on(&Slow::new()).unwrap();
        assert!(
            text(&found) == text(&whole),
            "{name}, killed {killed} times"
        );
    }
}
