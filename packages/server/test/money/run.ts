// npm run test:money -- [--sequences 2000] [--seed 7] [--workers 2] [--stages 8] [--only PLACE] [--mutants [--mutant NAME]]

import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import type { Campaign } from './campaign.ts'
import { carryThrough } from './campaign.ts'
import { drawStory } from './draw.ts'
import { openHouse } from './house.ts'
import { runMutants } from './mutants/run.ts'
import { play } from './play.ts'
import { openStage } from './stage.ts'
import { repeatText, storyText } from './tell.ts'
import { startThrowaway, type Throwaway } from './throwaway.ts'
import { sendOut } from './workers.ts'

const { values } = parseArgs({
  options: {
    sequences: { type: 'string', default: '2000' },
    seed: { type: 'string' },
    workers: { type: 'string', default: String(Math.min(2, availableParallelism())) },
    stages: { type: 'string', default: '8' },
    only: { type: 'string' },
    mutants: { type: 'boolean', default: false },
    mutant: { type: 'string' },
  },
})
const seed = values.seed === undefined ? Math.floor(Math.random() * 1e9) : Number(values.seed)
const sequences = Number(values.sequences)
const stages = Number(values.stages)

async function playMany(throwaway: Throwaway): Promise<boolean> {
  const workers = Number(values.workers)
  console.log(`${sequences} sequences of seed ${seed}, ${workers} processes with ${stages} stages each`)
  const campaigns: Campaign[] = []
  for (let from = 0; from < workers; from += 1)
    campaigns.push({
      ...{ databaseUrl: await throwaway.newDatabase(), seed, from, stages, shrinks: true },
      ...{ step: workers, until: sequences },
    })
  const startedMs = performance.now()
  const crew = sendOut(campaigns)
  const rate = () => {
    const seconds = (performance.now() - startedMs) / 1000
    return `${crew.played()} played in ${seconds.toFixed(0)} s, ${(crew.played() / seconds).toFixed(1)} a second`
  }
  const timer = setInterval(() => console.log(rate()), 10_000)
  const results = await crew.results
  clearInterval(timer)
  console.log(rate())
  const failure = results.find((one) => one.failure !== null)?.failure ?? null
  if (failure === null) {
    console.log('No sequence broke a promise.')
    return true
  }
  console.log(`\n${storyText(failure)}\n\nSeen again by: ${repeatText(seed, failure.place)}`)
  return false
}

/** One story, told whole; then, if it fails, as small as it gets. */
async function playOne(throwaway: Throwaway, place: number): Promise<boolean> {
  const databaseUrl = await throwaway.newDatabase()
  const house = openHouse(databaseUrl)
  const stage = await openStage(house)
  const story = drawStory(seed, place)
  const played = await play(stage, story)
  await stage.close()
  await house.close()
  console.log(storyText({ story, played, failsEachTime: true }))
  if (played.wrongs.length === 0) {
    console.log('It broke no promise.')
    return true
  }
  const only = { from: place, step: 1, until: place + 1 }
  const { failure } = await carryThrough({ databaseUrl, seed, ...only, stages: 1, shrinks: true })
  if (failure !== null) console.log(`\nAs small as it gets:\n${storyText(failure)}`)
  return false
}

const throwaway = await startThrowaway()
// A run that is stopped leaves nothing behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => throwaway.stop().finally(() => process.exit(130)))
try {
  const isWell = values.mutants
    ? await runMutants(throwaway, { seed, sequences, stages, only: values.mutant ?? null })
    : values.only === undefined
      ? await playMany(throwaway)
      : await playOne(throwaway, Number(values.only))
  process.exitCode = isWell ? 0 : 1
} finally {
  await throwaway.stop()
}
