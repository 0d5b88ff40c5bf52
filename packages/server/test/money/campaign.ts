// Plays many stories, several at a time, until one fails.

import { drawStory } from './draw.ts'
import { openHouse } from './house.ts'
import { play } from './play.ts'
import type { Played } from './playing.ts'
import { type Failure, shrink } from './shrink.ts'
import { openStage, type Stage } from './stage.ts'
import type { Story } from './story.ts'

export type Campaign = {
  readonly databaseUrl: string
  readonly seed: number
  /** The places of the stories in the seed: `from`, `from + step` and so on, below `until`. */
  readonly from: number
  readonly step: number
  readonly until: number
  /** How many stories are played at a time. */
  readonly stages: number
  /** Whether a failing story is made smaller. */
  readonly shrinks: boolean
}

export type Result = {
  readonly played: number
  readonly failure: (Failure & { readonly place: number }) | null
}

export async function carryThrough(campaign: Campaign, onPlayed: () => void = () => {}): Promise<Result> {
  const house = openHouse(campaign.databaseUrl)
  const stages: Stage[] = []
  try {
    for (let count = 0; count < campaign.stages; count += 1) stages.push(await openStage(house))
    return await playOn(stages, campaign, onPlayed)
  } finally {
    for (const stage of stages) await stage.close()
    await house.close()
  }
}

type Failed = { readonly place: number; readonly story: Story; readonly played: Played }

async function playOn(
  stages: readonly Stage[],
  { seed, from, step, until, shrinks }: Campaign,
  onPlayed: () => void,
): Promise<Result> {
  const failed: Failed[] = []
  let next = from
  let count = 0
  const playUntilOneFails = async (stage: Stage) => {
    while (next < until && failed.length === 0) {
      const place = next
      next += step
      const story = drawStory(seed, place)
      const played = await playSafely(stage, story)
      count += 1
      onPlayed()
      if (played.wrongs.length > 0) failed.push({ place, story, played })
    }
  }
  await Promise.all(stages.map(playUntilOneFails))
  const [first] = failed
  const [stage] = stages
  if (first === undefined || stage === undefined) return { played: count, failure: null }
  const { place, story, played } = first
  if (!shrinks) return { played: count, failure: { place, story, played, failsEachTime: true } }
  const smaller = await shrink((one) => playSafely(stage, one), story, played)
  return { played: count, failure: { ...smaller, place } }
}

/** A story that never ends is told like one that fails. */
const patienceMs = 120_000

async function playSafely(stage: Stage, story: Story): Promise<Played> {
  const { promise: tooLong, resolve } = Promise.withResolvers<Played>()
  const timer = setTimeout(
    () => resolve({ lines: [], wrongs: [`hangs: no end after ${patienceMs / 1000} seconds`] }),
    patienceMs,
  )
  const broken = (error: unknown): Played => ({
    lines: [],
    wrongs: [`cannot be played: ${error instanceof Error ? error.stack : error}`],
  })
  const played = await Promise.race([play(stage, story).catch(broken), tooLong])
  clearTimeout(timer)
  return played
}
