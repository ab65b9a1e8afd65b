use super::*;
use crate::example::stage;
use indicatif::TermLike;
use std::io;

/// A terminal in memory: all text written to it, and the number of cleared lines.
#[derive(Clone, Debug, Default)]
struct Terminal(Arc<Mutex<(String, usize)>>);

impl Terminal {
    fn written(&self) -> String {
        self.0.lock().expect("no test panics here").0.clone()
    }

    /// Forgets the text, runs `act`, and returns the number of lines that it cleared.
    fn cleared_by(&self, act: impl FnOnce()) -> usize {
        *self.0.lock().expect("no test panics here") = (String::new(), 0);
        act();
        self.0.lock().expect("no test panics here").1
    }
}

impl TermLike for Terminal {
    fn width(&self) -> u16 {
        200
    }
    fn move_cursor_up(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn move_cursor_down(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn move_cursor_right(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn move_cursor_left(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn write_line(&self, text: &str) -> io::Result<()> {
        self.write_str(&format!("{text}\n"))
    }
    fn write_str(&self, text: &str) -> io::Result<()> {
        self.0.lock().expect("no test panics here").0 += text;
        Ok(())
    }
    fn clear_line(&self) -> io::Result<()> {
        self.0.lock().expect("no test panics here").1 += 1;
        Ok(())
    }
    fn flush(&self) -> io::Result<()> {
        Ok(())
    }
}

fn bars(groups: usize) -> Progress {
    Progress::on(ProgressDrawTarget::hidden(), groups)
}

const STEPS_OF_A_CHAIN: Steps = Steps {
    done: 30,
    of: 40,
    is_burn_in: false,
    acceptance: 0.83,
    divergent: 2,
};

#[test]
fn steps_are_reported_in_words() {
    let steps = Steps {
        is_burn_in: true,
        acceptance: f64::NAN,
        divergent: 0,
        ..STEPS_OF_A_CHAIN
    };
    assert_eq!(in_words(steps), "burn-in, 30 of 40");
}

#[test]
fn a_run_that_goes_on_says_what_it_found() {
    assert_eq!(
        resumed(3, 2),
        "the run goes on from its checkpoints: 3 finished and 2 begun islands or groups of chains"
    );
}

#[test]
fn few_groups_have_a_bar_each() {
    let progress = bars(4);
    Observer::stage(&progress, 2, &stage(0.25, 64), 3);
    progress.step(1, STEPS_OF_A_CHAIN);
    progress.finish(3);
    let Bars::Each(bars) = &progress.bars else {
        panic!("4 groups have bars of their own")
    };
    let positions: Vec<u64> = bars.iter().map(ProgressBar::position).collect();
    assert_eq!(positions, [0, 750, 500, 1000]);
    // the increment of a stage is -1
    assert!(
        bars[2]
            .message()
            .starts_with("temperature 3, lambda 2.50e-1, acceptance 0."),
        "{}",
        bars[2].message()
    );
    assert!(
        bars[2].message().ends_with(", log evidence -1.00"),
        "{}",
        bars[2].message()
    );
    assert_eq!(bars[1].message(), "30 of 40, acceptance 0.83, 2 divergent");
    let line = |progress: &Progress| progress.clock.as_ref().map(|clock| clock.line.message());
    assert!(line(&progress).is_some_and(|line| line.ends_with("2 divergent so far")));
    // too early to be shown, except for the last
    let next = |done| Steps {
        done,
        divergent: 3,
        ..STEPS_OF_A_CHAIN
    };
    progress.step(1, next(31));
    assert_eq!(bars[1].position(), 750);
    progress.step(1, next(40));
    assert_eq!(bars[1].position(), 1000);
    assert!(line(&progress).is_some_and(|line| line.ends_with("3 divergent so far")));
    progress.clear();
    assert!(bars.iter().all(ProgressBar::is_finished));
}

#[test]
fn many_groups_share_one_bar() {
    let progress = bars(256);
    std::thread::scope(|scope| {
        for group in 0..256 {
            let bar = progress.island(group);
            scope.spawn(move || {
                bar.stage(&stage(0.25, 64), 1, 0.0);
                // A smaller position does not move the bar back.
                bar.stage(&stage(0.04, 64), 1, 0.0);
                if group < 128 {
                    bar.finish();
                }
            });
        }
    });
    let Bars::Together(bar, _) = &progress.bars else {
        panic!("256 groups share a bar")
    };
    assert_eq!(bar.position(), 128 * 1000 + 128 * 500);
    assert_eq!(bar.length(), Some(256_000));
}

#[test]
fn hidden_progress_takes_everything_in_silence() {
    let progress = Progress::new(false, 4);
    assert!(matches!(progress.bars, Bars::Hidden));
    let bar = progress.island(7);
    bar.stage(&stage(0.5, 64), 1, 0.0);
    bar.finish();
    progress.clear();
}

#[test]
fn the_templates_parse() {
    for template in [EACH, TOGETHER, BELOW] {
        assert!(ProgressStyle::with_template(template).is_ok(), "{template}");
    }
}

#[test]
fn a_terminal_shows_bars_time_left_and_warnings_and_is_clean_at_the_end() {
    let terminal = Terminal::default();
    let target = ProgressDrawTarget::term_like_with_hz(Box::new(terminal.clone()), 255);
    let progress = Progress::on(target, 2);
    for number in 1..=5 {
        // without some time per temperature there is no rate
        std::thread::sleep(Duration::from_millis(10));
        Observer::stage(
            &progress,
            0,
            &stage(0.01 * f64::from(number), 64),
            number as usize,
        );
    }
    progress.step(1, STEPS_OF_A_CHAIN);
    progress.trouble(&Error::Write {
        message: "no room for a checkpoint".to_owned(),
    });
    std::thread::sleep(Duration::from_millis(10));
    progress.finish(1);
    let text = terminal.written();
    for wanted in [
        "temperature 5, lambda 5.00e-2, acceptance 0.",
        "log evidence -5.00",
        "30 of 40, acceptance 0.83, 2 divergent",
        " left, 2 divergent so far",
        "warning: ",
        "no room for a checkpoint",
        "done",
    ] {
        assert!(text.contains(wanted), "no `{wanted}` in {text}");
    }
    // two bars and the line below them
    let cleared = terminal.cleared_by(|| progress.clear());
    assert!(cleared >= 3, "{cleared}");
    assert!(!terminal.written().contains("temperature"));
}
