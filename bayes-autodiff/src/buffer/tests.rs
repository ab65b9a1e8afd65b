use super::Buffer;
use super::pool::{ALIGNMENT, MOST_KEPT, kept};

/// Every test has its own pool.
fn in_a_thread(test: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        scope.spawn(test);
    });
}

fn is_aligned<T: Copy>(buffer: &Buffer<T>) -> bool {
    (buffer.as_ptr() as usize).is_multiple_of(ALIGNMENT)
}

#[test]
fn every_start_is_aligned() {
    let lengths = [0, 1, 7, 8, 9, 100, 1000];
    let buffers: Vec<Buffer<f32>> = lengths.map(|n| Buffer::filled(n, 1.0)).into();
    assert!(buffers.iter().all(is_aligned));
    #[derive(Clone, Copy)]
    #[repr(align(64))]
    struct Line(u8);
    let lines = Buffer::from_fn(3, |i| Line(i as u8));
    assert!(is_aligned(&lines));
    assert_eq!(lines.iter().map(|line| line.0).sum::<u8>(), 3);
}

#[test]
fn a_dropped_chunk_is_used_again() {
    in_a_thread(|| {
        let (first, second) = (Buffer::filled(10, 1.0), Buffer::filled(10, 2.0));
        let (a, b) = (first.as_ptr(), second.as_ptr());
        drop(first);
        drop(second);
        // the last one dropped is the warmest in the cache
        let again = [Buffer::filled(9, 3.0), Buffer::filled(16, 4.0)];
        assert_eq!([again[0].as_ptr(), again[1].as_ptr()], [b, a]);
        assert_eq!(&again[0][..], [3.0; 9]);
        assert_eq!(&again[1][..], [4.0; 16]);
    });
}

#[test]
fn living_buffers_never_share_memory() {
    in_a_thread(|| {
        let mut living: Vec<Buffer<u64>> = Vec::new();
        for i in 0..200_u64 {
            living.push(Buffer::filled(1 + (i * 7 % 40) as usize, i));
            if i % 3 == 0 {
                living.swap_remove((i / 5) as usize % living.len());
            }
        }
        for buffer in &living {
            assert!(buffer.iter().all(|x| *x == buffer[0]));
        }
        let mut owners: Vec<u64> = living.iter().map(|buffer| buffer[0]).collect();
        owners.sort_unstable();
        owners.dedup();
        assert_eq!(owners.len(), living.len());
    });
}

#[test]
fn a_buffer_grows_and_keeps_its_elements() {
    let mut buffer = Buffer::new();
    for i in 0..1000 {
        buffer.push(i);
        assert!(buffer.capacity() >= buffer.len() && is_aligned(&buffer));
    }
    buffer.extend_from_slice(&[-1; 5000]);
    assert_eq!(buffer.len(), 6000);
    assert!((0..1000).all(|i| buffer[i as usize] == i));
    assert!(buffer[1000..].iter().all(|x| *x == -1));
    // an iterator that does not know its length
    let odd: Buffer<i32> = (0..99).filter(|i| i % 2 == 1).collect();
    assert_eq!(odd.len(), 49);
    assert_eq!(odd.iter().sum::<i32>(), 49 * 49);
}

#[test]
fn a_copy_is_independent() {
    let mut original = Buffer::from_slice(&[1.0, 2.0]);
    let copy = original.clone();
    original[0] = 5.0;
    original.clear();
    original.push(7.0);
    assert_eq!(&copy[..], [1.0, 2.0]);
    assert_eq!(&original[..], [7.0]);
}

#[test]
fn an_empty_buffer_has_no_memory() {
    in_a_thread(|| {
        let mut buffer: Buffer<f64> = std::iter::empty().collect();
        assert_eq!((buffer.len(), buffer.capacity()), (0, 0));
        assert!(buffer.iter().next().is_none());
        buffer.extend_from_slice(&[]);
        drop(buffer.clone());
        drop(buffer);
        assert_eq!(kept(), 0);
    });
}

#[test]
fn buffers_may_be_dropped_by_another_thread() {
    in_a_thread(|| {
        let buffers: Vec<Buffer<u8>> = (0..50).map(|i| Buffer::filled(100, i)).collect();
        std::thread::spawn(move || {
            assert!(buffers.iter().zip(0..).all(|(b, i)| b[99] == i));
            drop(buffers);
            assert_eq!(kept(), 50 * 128);
        })
        .join()
        .expect("the other thread ends well");
        assert_eq!(kept(), 0);
    });
}

#[test]
fn a_buffer_may_outlive_the_pool_of_its_thread() {
    thread_local! {
        static LAST: std::cell::RefCell<Vec<Buffer<u8>>> = const { std::cell::RefCell::new(Vec::new()) };
    }
    in_a_thread(|| {
        // registered first, dropped after the pool: its buffers no longer find the pool
        LAST.with_borrow_mut(|last| last.push(Buffer::new()));
        LAST.with_borrow_mut(|last| last.push(Buffer::filled(10, 1)));
    });
}

#[test]
fn the_pool_is_bounded() {
    in_a_thread(|| {
        let length = MOST_KEPT / 8;
        let buffers: Vec<Buffer<u8>> = (0..9).map(|_| Buffer::with_capacity(length)).collect();
        drop(buffers);
        assert_eq!(kept(), MOST_KEPT);
        // too large for any class
        drop(Buffer::<u8>::with_capacity(MOST_KEPT));
        assert_eq!(kept(), MOST_KEPT);
        drop(Buffer::<u8>::with_capacity(length));
        assert_eq!(kept(), MOST_KEPT);
    });
}

#[test]
#[should_panic(expected = "fits the address space")]
fn a_length_beyond_memory_is_refused() {
    drop(Buffer::<f64>::with_capacity(usize::MAX / 4));
}

#[test]
fn elements_come_out_in_order_from_both_ends() {
    let mut elements = Buffer::from_fn(4, |i| i).into_iter();
    assert_eq!(elements.len(), 4);
    assert_eq!((elements.next(), elements.next_back()), (Some(0), Some(3)));
    assert_eq!(elements.collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn a_panic_while_filling_returns_the_memory() {
    in_a_thread(|| {
        let filled = std::panic::catch_unwind(|| Buffer::from_fn(100, |i| 100 / (50 - i.min(50))));
        assert!(filled.is_err());
        assert_eq!(kept(), 1024);
    });
}

#[test]
fn a_buffer_takes_what_it_has_room_for() {
    let mut buffer = Buffer::<u64>::with_capacity(5);
    let room = buffer.capacity() as u64;
    for x in 0..room {
        assert!(buffer.push_within_capacity(x));
    }
    assert!(!buffer.push_within_capacity(room));
    assert_eq!(buffer.iter().copied().sum::<u64>(), room * (room - 1) / 2);
    buffer.truncate(3);
    buffer.truncate(4);
    assert_eq!(buffer[..], [0, 1, 2]);
    assert!(buffer.push_within_capacity(9));
    assert_eq!(buffer[..], [0, 1, 2, 9]);
    assert!(!Buffer::<u64>::new().push_within_capacity(1));
}

#[test]
fn copies_are_appended_behind_what_is_there() {
    let mut buffer = Buffer::from_slice(&[1.0, 2.0]);
    buffer.extend_filled(0, 9.0);
    buffer.extend_filled(100, 3.0);
    assert_eq!(buffer[..2], [1.0, 2.0]);
    assert_eq!(buffer[2..], [3.0; 100]);
}
