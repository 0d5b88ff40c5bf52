import { expect, test } from 'vitest'
import { parseDuration, parsePastTime, parseTime } from './time.ts'

const now = Date.parse('2026-11-14T12:00:00.000Z')

test.each([
  ['90s', '2026-11-14T11:58:30.000Z'],
  ['2h', '2026-11-14T10:00:00.000Z'],
  ['1d', '2026-11-13T12:00:00.000Z'],
  ['2w', '2026-10-31T12:00:00.000Z'],
  ['2026-01-01', '2026-01-01T00:00:00.000Z'],
])('%s is parsed as %s', (text, at) => {
  expect(parsePastTime(text, now).toISOString()).toBe(at)
})

test.each([
  ['30min', 'PT30M'],
  ['2h', 'PT2H'],
  ['3d', 'P3D'],
  ['1mo', 'P1M'],
  ['p1y', 'P1Y'],
])('the duration %s is converted to %s', (text, duration) => {
  expect(parseDuration(text)).toBe(duration)
})

test.each(['', 'soon', '5', '-1h', '1m1', '99'])('"%s" is rejected', (text) => {
  expect(() => parsePastTime(text, now)).toThrow('Expected')
  expect(() => parseDuration(text)).toThrow('Expected')
  expect(() => parseTime(text)).toThrow('Expected')
})
