import { defineEvent } from '../../../platform/db/events.ts'
import { present, TestClockObject } from './schema.ts'
import type { TestClock } from './test-clock.ts'

export const testClockReady = defineEvent<TestClock>({
  type: 'test_clock.ready',
  about: 'A test clock reached its target time.',
  schema: TestClockObject,
  present,
})

export const testClockFailed = defineEvent<TestClock>({
  type: 'test_clock.failed',
  about: 'A test clock failed to advance. It stopped at the time of the error.',
  schema: TestClockObject,
  present,
  example: { object: { status: 'failed', failure: 'The renewal could not be planned.' } },
})

export const testClockEvents = [testClockReady, testClockFailed]
