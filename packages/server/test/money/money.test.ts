// The short version of `npm run test:money`, with the same stories each time, so that a red run means a change.

import { expect, test } from 'vitest'
import { newDatabase } from '../support/database.ts'
import { carryThrough } from './campaign.ts'
import { drawStory } from './draw.ts'
import { faultsOfMutants } from './mutants/workshop.ts'
import { repeatText, storyText } from './tell.ts'

const seed = 20261115
const sequences = 500
const minutes = 20

/** Planning costs more than most of these statements; and nothing here has to survive a power cut. */
const options = '-c plan_cache_mode=force_generic_plan -c synchronous_commit=off'

test('no story of payments charges twice, loses money or never ends', {
  timeout: minutes * 60_000,
}, async () => {
  const address = new URL(await newDatabase())
  address.searchParams.set('options', options)
  const range = { from: 0, step: 1, until: sequences }
  const campaign = { databaseUrl: address.href, seed, ...range, stages: 8, shrinks: true }
  const { played, failure } = await carryThrough(campaign)

  if (failure !== null) expect.fail(`${storyText(failure)}\n\n${repeatText(seed, failure.place)}`)
  expect(played).toBe(sequences)
})

test('a seed tells the same stories each time, and another seed others', () => {
  const told = (one: number) => JSON.stringify([0, 1, 2, 3].map((place) => drawStory(one, place)))

  expect(told(seed)).toBe(told(seed))
  expect(told(seed + 1)).not.toBe(told(seed))
})

test('each guard that the mutation run takes away is still where its row says', () => {
  expect(faultsOfMutants()).toEqual([])
})
