// A year on a test clock gives the same result in every run: a trial, renewals, a card that fails, dunning,
// recovery and a pause. `GOLDEN=write npx vitest run <this file>` updates the golden files; review the
// difference before you commit it.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { subscriptionsForThisFile } from '../support/subscriptions.ts'
import { type Year, yearInOneCall, yearWithChanges } from './support/billing-year.ts'

vi.setConfig({ testTimeout: 60_000 })

const switchyard = await subscriptionsForThisFile()

function expectGolden(name: string, { timeline }: Year): void {
  const path = join(import.meta.dirname, 'golden', name)
  const text = `${timeline.join('\n')}\n`
  if (process.env.GOLDEN === 'write') writeFileSync(path, text)
  expect(text).toBe(readFileSync(path, 'utf8'))
}

test.each([
  [
    'a new card pays the overdue invoice, and the subscription is paused',
    'billing-year.txt',
    yearWithChanges,
  ],
  ['the clock advances by a year in one call', 'billing-year-in-one-call.txt', yearInOneCall],
])('the same year has the same events in every run: %s', async (_, golden, simulateYear) => {
  const first = await simulateYear(switchyard)
  const second = await simulateYear(switchyard)
  expectGolden(golden, first)
  // Not only the timeline: every member of every event except ids and wall-clock times.
  expect(second.events).toEqual(first.events)
  expect(second.timeline).toEqual(first.timeline)
  const { durationMs, cpuMs } = second
  console.info(`${golden}: ${durationMs.toFixed(0)} ms, ${cpuMs.toFixed(0)} ms of CPU time in this process.`)
})
