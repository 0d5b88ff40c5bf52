import { defineEvent } from '../../platform/db/events.ts'
import { present, TestClockObject } from './schema.ts'
import type { TestClock } from './test-clock.ts'

export const testClockReady = defineEvent<TestClock>({
  type: 'test_clock.ready',
  about: 'A test clock has arrived where it was sent to.',
  schema: TestClockObject,
  present,
})

export const testClockFailed = defineEvent<TestClock>({
  type: 'test_clock.failed',
  about: 'Something on a test clock failed. It stands where that happened.',
  schema: TestClockObject,
  present,
  example: { object: { status: 'failed', failure: 'The renewal could not be planned.' } },
})

export const testClockEvents = [testClockReady, testClockFailed]
