/** When an attack begins and when it is over. */
import { describe, expect, it, vi } from 'vitest';
import { AttackDetector } from '../../src/admission/attack-detector.ts';

const begin = Date.UTC(2026, 10, 23);

/** A detector of ten posts a second. `post(at)` counts one, at milliseconds after the beginning. */
function detector() {
  const onChange = vi.fn<(isAttack: boolean) => void>();
  const attack = new AttackDetector({ points: 10, seconds: 1 }, onChange);
  const post = (at: number, count = 1): boolean => {
    let isAttack = false;
    for (let n = 0; n < count; n += 1) isAttack = attack.count(begin + at);
    return isAttack;
  };
  return { post, onChange };
}

describe('an attack', () => {
  it('never begins without a rule', () => {
    const onChange = vi.fn<(isAttack: boolean) => void>();
    const attack = new AttackDetector(null, onChange);
    for (let n = 0; n < 1000; n += 1) expect(attack.count(begin)).toBe(false);
    expect(onChange).not.toHaveBeenCalled();
  });

  it('begins with the tenth post of a second, and is reported once', () => {
    const { post, onChange } = detector();
    expect(post(0, 9)).toBe(false);
    expect(post(999)).toBe(true);
    expect(post(999, 5)).toBe(true);
    expect(onChange.mock.calls).toEqual([[true]]);
  });

  it('counts the share of the second before that the sliding window covers', () => {
    const whole = detector();
    whole.post(0, 8);
    expect(whole.post(1000)).toBe(false);
    expect(whole.post(1000)).toBe(true);
    const half = detector();
    half.post(0, 8);
    expect(half.post(1500, 5)).toBe(false);
    expect(half.post(1500)).toBe(true);
  });

  it('counts no post that is two seconds old', () => {
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

  it('is over five seconds after the rate was last at half of the rule', () => {
    const { post, onChange } = detector();
    post(0, 10);
    expect(post(4999)).toBe(true);
    expect(post(5000)).toBe(false);
    expect(onChange.mock.calls).toEqual([[true], [false]]);
  });

  it('is over after five windows of any length', () => {
    const attack = new AttackDetector({ points: 10, seconds: 10 }, () => {});
    for (let n = 0; n < 10; n += 1) attack.count(begin);
    expect(attack.count(begin + 49_999)).toBe(true);
    expect(attack.count(begin + 50_000)).toBe(false);
  });

  it('goes on while the rate is at half of the rule', () => {
    const { post } = detector();
    post(0, 10);
    post(4000, 4);
    expect(post(4000)).toBe(true);
    expect(post(8999)).toBe(true);
    expect(post(9000)).toBe(false);
  });

  it('does not begin at half of the rule', () => {
    const { post } = detector();
    expect(post(0, 5)).toBe(false);
    expect(post(2000, 5)).toBe(false);
  });
});
