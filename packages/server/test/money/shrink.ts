// Makes a failing story smaller as long as it fails for the same reason. What is left is read by a person.

import type { Played } from './playing.ts'
import type { Act, Step, Story } from './story.ts'

export type Failure = { readonly story: Story; readonly played: Played; readonly failsEachTime: boolean }

type PlayOnce = (story: Story) => Promise<Played>

const maxPlays = 200

export async function shrink(playOnce: PlayOnce, failing: Story, first: Played): Promise<Failure> {
  let plays = 0
  const reasons = reasonsOf(first)
  const fails = async (story: Story, tries: number): Promise<Played | null> => {
    for (let attempt = 0; attempt < tries && plays < maxPlays; attempt += 1) {
      plays += 1
      const played = await playOnce(story)
      if (reasonsOf(played).some((reason) => reasons.includes(reason))) return played
    }
    return null
  }

  const again = [await fails(failing, 1), await fails(failing, 1)]
  const failsEachTime = again.every((played) => played !== null)
  // What depends on the timing is tried more often before it is believed to be well.
  const tries = failsEachTime ? 1 : 4
  let story = failing
  let played = again.find((one) => one !== null) ?? first
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false
    for (const candidate of smallerThan(story)) {
      const failed = await fails(candidate, tries)
      if (failed === null) continue
      story = candidate
      played = failed
      isSmaller = true
      break
    }
  }
  return { story, played, failsEachTime }
}

/** What is wrong, without the names of this performance. */
export function reasonsOf({ wrongs }: Played): string[] {
  return wrongs.map((wrong) => wrong.split(':')[0] as string)
}

function* smallerThan(story: Story): Generator<Story> {
  const { steps } = story
  for (let size = Math.floor(steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < steps.length; from += size)
      yield { ...story, steps: steps.toSpliced(from, size) }
  }
  for (const [place, step] of steps.entries()) {
    for (const simpler of simplerThan(step)) yield { ...story, steps: steps.toSpliced(place, 1, ...simpler) }
  }
  if (story.ends !== 'healed') yield { ...story, ends: 'healed' }
  if (story.webhooks !== 'off') yield { ...story, webhooks: 'off' }
  if (story.terms !== 'all') yield { ...story, terms: 'all' }
}

/** Each is a list of steps that may stand in its place. */
function* simplerThan(step: Step): Generator<readonly Step[]> {
  if (step.do === 'wait' || step.do === 'provider') return
  if (step.do !== 'together') {
    yield* simplerActs(step).map((act) => [act])
    return
  }
  const { acts } = step
  yield acts
  if (acts.length > 2) yield* acts.map((_, place) => [{ ...step, acts: acts.toSpliced(place, 1) }])
  for (const [place, act] of acts.entries())
    yield* simplerActs(act).map((simpler) => [{ ...step, acts: acts.toSpliced(place, 1, simpler) }])
}

/** Members whose value can be a plainer one. */
const plain: Readonly<Record<string, unknown>> = {
  ...{ fate: null, beside: false, twice: false, impatient: false },
  ...{ card: 'approve', by: 'method', order: null, initiator: 'customer', capture: 'automatic' },
  routed: false,
}

function simplerActs(act: Act): Act[] {
  return Object.entries(plain)
    .filter(([name, value]) => name in act && act[name as keyof Act] !== value)
    .map(([name, value]) => ({ ...act, [name]: value }))
}
