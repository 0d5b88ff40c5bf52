/** Runs a recipe, and waits for its event. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Event, Switchyard } from '@switchyard/sdk'
import { CliError } from '../exit.ts'
import type { EventTypeName } from './recipes.ts'
import { createTriggerContext, type PossibleRecipe } from './trigger-context.ts'

/** Most events exist when the call returns; events from the worker take a moment. */
const defaultWaitSeconds = 30

type WaitOptions = {
  readonly signal: AbortSignal
  /** Default: the wait of the recipe. */
  readonly waitSeconds?: number | undefined
  readonly onWait?: () => void
}

export async function runTrigger(
  client: Switchyard,
  type: EventTypeName,
  { run, waitSeconds: recipeWaitSeconds = defaultWaitSeconds }: PossibleRecipe,
  { signal, waitSeconds = recipeWaitSeconds, onWait }: WaitOptions,
): Promise<Event> {
  const newest = await newestEventId(client, type)
  const id = await run(createTriggerContext(client, signal))
  const deadlineMs = performance.now() + waitSeconds * 1000
  for (;;) {
    const event = await findEvent(client, { type, id, newest })
    if (event !== null) return event
    if (performance.now() >= deadlineMs)
      throw new CliError(
        'failed',
        `There was no ${type} event within ${waitSeconds} seconds.`,
        `Check the object: switchyard get ${id}`,
      )
    onWait?.()
    await sleep(250, undefined, { signal })
  }
}

/** The newest event of this type before the recipe runs. Older events are ignored afterwards. */
async function newestEventId(client: Switchyard, type: EventTypeName): Promise<string> {
  const { data } = await client.events.list({ type, limit: 1 }).page()
  return data[0]?.id ?? ''
}

type EventQuery = { readonly type: EventTypeName; readonly id: string; readonly newest: string }

async function findEvent(client: Switchyard, { type, id, newest }: EventQuery): Promise<Event | null> {
  const { data } = await client.events.list({ type, limit: 50 }).page()
  return data.find((event) => event.id > newest && event.data.includes(id)) ?? null
}
