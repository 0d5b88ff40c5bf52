import { expect, test } from 'vitest'
import { durationText, pastTime, someTime } from './time.ts'

const now = Date.parse('2026-11-14T12:00:00.000Z')

test.each([
  ['90s', '2026-11-14T11:58:30.000Z'],
  ['2h', '2026-11-14T10:00:00.000Z'],
  ['1d', '2026-11-13T12:00:00.000Z'],
  ['2w', '2026-10-31T12:00:00.000Z'],
  ['2026-01-01', '2026-01-01T00:00:00.000Z'],
])('%s is %s', (text, at) => {
  expect(pastTime(text, now).toISOString()).toBe(at)
})

test.each([
  ['30min', 'PT30M'],
  ['2h', 'PT2H'],
  ['3d', 'P3D'],
  ['1mo', 'P1M'],
  ['p1y', 'P1Y'],
])('%s lasts %s', (text, duration) => {
  expect(durationText(text)).toBe(duration)
})

test.each(['', 'soon', '5', '-1h', '1m1', '99'])('"%s" is no time', (text) => {
  expect(() => pastTime(text, now)).toThrow('must be')
  expect(() => durationText(text)).toThrow('must be')
  expect(() => someTime(text)).toThrow('must be')
})
