/** When an attack begins and when it is over. */
import { describe, expect, it, vi } from 'vitest';
import { attackRate, createAttackDetector } from '../../src/admission/attack-detector.ts';

const begin = Date.UTC(2026, 10, 23);

/** A tenth of the posts that are an attack, and a thousandth of its window. */
const posts = attackRate.posts / 10;
const tick = attackRate.windowMs / 1000;

/** `post(at)` counts a tenth of what is an attack, so many thousandths of its window after the beginning. */
function detector() {
  const onChange = vi.fn<(isAttack: boolean) => void>();
  const count = createAttackDetector(onChange);
  const post = (at: number, times = 1): boolean => {
    let isAttack = false;
    for (let n = 0; n < times * posts; n += 1) isAttack = count(begin + at * tick);
    return isAttack;
  };
  return { post, onChange };
}

describe('an attack', () => {
  it('begins with the last post of the rate in a window, and is reported once', () => {
    const { post, onChange } = detector();
    expect(post(0, 9)).toBe(false);
    expect(post(999)).toBe(true);
    expect(post(999, 5)).toBe(true);
    expect(onChange.mock.calls).toEqual([[true]]);
  });

  it('counts the share of the window before that the sliding window covers', () => {
    const whole = detector();
    whole.post(0, 8);
    expect(whole.post(1000)).toBe(false);
    expect(whole.post(1000)).toBe(true);
    const half = detector();
    half.post(0, 8);
    expect(half.post(1500, 5)).toBe(false);
    expect(half.post(1500)).toBe(true);
  });

  it('counts no post that is two windows old', () => {
    const { post } = detector();
    post(0, 8);
    expect(post(2000, 9)).toBe(false);
    expect(post(2000)).toBe(true);
    const { post: later } = detector();
    later(0, 8);
    expect(later(1999, 9)).toBe(false);
    expect(later(1999)).toBe(true);
  });

  it('counts from zero after the clock was set back', () => {
    const { post } = detector();
    post(5000, 9);
    expect(post(4000, 9)).toBe(false);
    expect(post(4000)).toBe(true);
  });

  it('is over five windows after the rate was last at half of it', () => {
    const { post, onChange } = detector();
    post(0, 10);
    expect(post(4999)).toBe(true);
    expect(post(5000)).toBe(false);
    expect(onChange.mock.calls).toEqual([[true], [false]]);
  });

  it('goes on while the rate is at half of it', () => {
    const { post } = detector();
    post(0, 10);
    post(4000, 4);
    expect(post(4000)).toBe(true);
    expect(post(8999)).toBe(true);
    expect(post(9000)).toBe(false);
  });

  it('does not begin at half of it', () => {
    const { post } = detector();
    expect(post(0, 5)).toBe(false);
    expect(post(2000, 5)).toBe(false);
  });
});
