// A year in a moment, and always the same year: a trial, renewals, a card that fails, dunning, recovery, a pause.
// `GOLDEN=write npx vitest run <this file>` writes down what is told; look at the difference before you keep it.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { subscriptionsForThisFile } from '../support/subscriptions.ts'
import { type Year, yearInOneCall, yearWithActs } from './support/billing-year.ts'

vi.setConfig({ testTimeout: 60_000 })

const switchyard = await subscriptionsForThisFile()

function expectGolden(name: string, { story }: Year): void {
  const path = join(import.meta.dirname, 'golden', name)
  const text = `${story.join('\n')}\n`
  if (process.env.GOLDEN === 'write') writeFileSync(path, text)
  expect(text).toBe(readFileSync(path, 'utf8'))
}

test.each([
  ['a new card recovers it, and somebody pauses it', 'billing-year.txt', yearWithActs],
  ['one call from new year to new year', 'billing-year-in-one-call.txt', yearInOneCall],
])('the same year is told the same way each time: %s', async (_, golden, play) => {
  const first = await play(switchyard)
  const second = await play(switchyard)
  expectGolden(golden, first)
  // Not only what is said of them: every member of every event but ids and the world's time.
  expect(second.events).toEqual(first.events)
  expect(second.story).toEqual(first.story)
  const { tookMs, cpuMs } = second
  console.info(`${golden}: ${tookMs.toFixed(0)} ms, ${cpuMs.toFixed(0)} ms of computing in this process.`)
})
