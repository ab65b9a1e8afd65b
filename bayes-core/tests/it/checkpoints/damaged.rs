//! Damaged, swapped or foreign files, and folders that cannot be written.

use super::*;
use bayes_core::engine::Inference;

#[test]
fn damaged_files_are_set_aside_and_their_content_is_computed_again() {
    for name in ENGINES {
        let whole = text(&engine(name).run_on(&Slow::new()).unwrap());
        for fault in ["cut", "flipped", "empty"] {
            let (_base, folder) = folder();
            begin(name, &folder, 4);
            let states = files(&folder, "state-");
            assert!(!states.is_empty(), "{name}");
            for path in &states {
                let mut bytes = fs::read(path).unwrap();
                let middle = bytes.len() / 2;
                match fault {
                    "cut" => bytes.truncate(middle),
                    "flipped" => bytes[middle] ^= 4,
                    _ => bytes.clear(),
                }
                fs::write(path, bytes).unwrap();
            }
            let troubles = Arc::new(Troubles::default());
            let mut engine = in_folder(name, &folder);
            engine
                .common_mut()
                .observers
                .push(Arc::clone(&troubles) as Arc<dyn Observer>);
            let run = engine.run_on(&Slow::new()).unwrap();
            assert!(text(&run) == whole, "{name} {fault}");
            let told = troubles.0.lock().unwrap();
            // an empty file counts as a file of another program
            let expected = if fault == "empty" { 0 } else { states.len() };
            assert_eq!(told.len(), expected, "{name} {fault}: {told:?}");
            assert!(
                told.iter()
                    .all(|e| matches!(e, Error::File(FileError::Damaged { .. })))
            );
            let aside = files(&folder, "state-");
            let aside = aside
                .iter()
                .filter(|path| path.extension().unwrap() == "damaged");
            assert_eq!(aside.count(), expected);
        }
    }
}

#[test]
fn swapped_and_duplicated_files_and_those_of_others_do_no_harm() {
    for name in ENGINES {
        let whole = text(&engine(name).run_on(&Slow::new()).unwrap());
        let (_base, folder) = folder();
        begin(name, &folder, 4);
        let states = files(&folder, "state-");
        fs::copy(&states[0], folder.join("copy.bayes")).unwrap();
        if let [first, second, ..] = states.as_slice() {
            let other = fs::read(first).unwrap();
            fs::rename(second, first).unwrap();
            fs::write(second, other).unwrap();
        }
        fs::write(folder.join("state-0.bayes.99-0.part"), "half").unwrap();
        fs::write(folder.join("notes.txt"), "of the user").unwrap();
        Run::from_json(&whole)
            .unwrap()
            .save(folder.join("result.bayes"))
            .unwrap();
        let run = in_folder(name, &folder).run_on(&Slow::new()).unwrap();
        assert!(text(&run) == whole, "{name}");
        assert!(files(&folder, "state-0.bayes.99").is_empty());
        assert_eq!(
            files(&folder, "notes").len() + files(&folder, "result").len(),
            2
        );
    }
}

#[test]
fn the_folder_of_another_run_is_refused_by_name() {
    let (_base, folder) = folder();
    begin("psmc", &folder, 4);
    let before = files(&folder, "state-");
    let refused = |change: fn(&mut dyn Engine), density: &Slow| {
        let mut engine = in_folder("psmc", &folder);
        change(engine.as_mut());
        let error = engine.run_on(density).unwrap_err();
        assert!(matches!(error, Error::Checkpoint { .. }), "{error}");
        let text = error.to_string();
        let end = text.split("which differs in ").nth(1).unwrap_or(&text);
        end.split(';').next().unwrap().to_owned()
    };
    assert_eq!(
        refused(|engine| engine.common_mut().seed = 4, &Slow::new()),
        "`seed`: 3 and 4"
    );
    let other = Slow {
        fingerprint: 8,
        ..Slow::new()
    };
    assert_eq!(
        refused(|_| {}, &other),
        "`data`: 0000000000000007 and 0000000000000008"
    );
    let unknown = Slow::default();
    let text = refused(|_| {}, &unknown);
    assert!(
        text.contains("nothing tells whether it holds this density"),
        "{text}"
    );
    let psmc = Inference::psmc()
        .islands(5)
        .particles(65)
        .seed(3)
        .progress(false);
    let text = psmc
        .checkpoint(&folder)
        .run_on(&Slow::new())
        .unwrap_err()
        .to_string();
    assert!(
        text.contains("`particles`: 64 and 65; give each run a folder of its own"),
        "{text}"
    );
    let text = in_folder("nuts", &folder)
        .run_on(&Slow::new())
        .unwrap_err()
        .to_string();
    assert!(
        text.contains("differs in `engine`: psmc and nuts"),
        "{text}"
    );
    assert_eq!(files(&folder, "state-"), before);
}

#[test]
fn two_writers_of_one_folder_are_refused() {
    let (_base, folder) = folder();
    /// Starts the same run within the run.
    #[derive(Debug)]
    struct Second(PathBuf, Mutex<Vec<Error>>);
    impl Observer for Second {
        fn stage(&self, _: usize, _: &bayes_core::run::Stage, _: usize) {
            let second = in_folder("psmc", &self.0).run_on(&Slow::new());
            let error = second.expect_err("the folder is in use");
            self.1.lock().expect("no test panics here").push(error);
        }
    }
    let second = Arc::new(Second(folder.clone(), Mutex::default()));
    let mut engine = in_folder("psmc", &folder);
    engine
        .common_mut()
        .observers
        .push(Arc::clone(&second) as Arc<dyn Observer>);
    engine.run_on(&Slow::new()).unwrap();
    let refused = second.1.lock().unwrap();
    assert!(!refused.is_empty());
    assert!(
        refused
            .iter()
            .all(|e| matches!(e, Error::File(FileError::InUse { .. })))
    );
    // the folder is free again
    in_folder("psmc", &folder).run_on(&Slow::new()).unwrap();
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_before_the_run_and_reported_during_it() {
    let (_base, base) = folder();
    fs::create_dir_all(&base).unwrap();
    let file = base.join("file");
    fs::write(&file, "no folder").unwrap();
    let density = Slow::new();
    let refused = in_folder("psmc", &file.join("run"))
        .run_on(&density)
        .unwrap_err();
    assert!(
        matches!(
            refused,
            Error::File(FileError::System {
                action: "written",
                ..
            })
        ),
        "{refused}"
    );
    assert_eq!(density.evaluations.into_inner(), 0);
    /// Removes the folder of the run during the run.
    #[derive(Debug)]
    struct Remover(PathBuf);
    impl Observer for Remover {
        fn stage(&self, _: usize, _: &bayes_core::run::Stage, _: usize) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }
    let troubles = Arc::new(Troubles::default());
    let run = base.join("run");
    let mut engine = in_folder("psmc", &run);
    let observers = &mut engine.common_mut().observers;
    observers.push(Arc::new(Remover(run)));
    observers.push(Arc::clone(&troubles) as Arc<dyn Observer>);
    let found = engine.run_on(&Slow::new()).unwrap();
    assert!(text(&found) == text(&self::engine("psmc").run_on(&Slow::new()).unwrap()));
    assert!(!troubles.0.lock().unwrap().is_empty());
}
