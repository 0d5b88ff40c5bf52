/** Carries a recipe out, and waits for its event. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Event, Switchyard } from '@switchyard/sdk'
import { CliError } from '../exit.ts'
import type { EventTypeName } from './recipes.ts'
import { createWorld, type PossibleRecipe } from './world.ts'

/** Most events are there with the answer; what the worker does takes a moment. */
const usualWaitSeconds = 30

type Waiting = {
  readonly signal: AbortSignal
  /** Without it, as long as the recipe says. */
  readonly waitSeconds?: number | undefined
  readonly onWait?: () => void
}

export async function bringAbout(
  client: Switchyard,
  type: EventTypeName,
  { run, waitSeconds: usual = usualWaitSeconds }: PossibleRecipe,
  { signal, waitSeconds = usual, onWait }: Waiting,
): Promise<Event> {
  const newest = await newestOf(client, type)
  const id = await run(createWorld(client, signal))
  const endsMs = performance.now() + waitSeconds * 1000
  for (;;) {
    const event = await findEvent(client, { type, id, newest })
    if (event !== null) return event
    if (performance.now() >= endsMs)
      throw new CliError(
        'failed',
        `${type} has not come about within ${waitSeconds} seconds.`,
        `Look at it: switchyard get ${id}`,
      )
    onWait?.()
    await sleep(250, undefined, { signal })
  }
}

/** The newest one before, so that an older one is not taken for it. */
async function newestOf(client: Switchyard, type: EventTypeName): Promise<string> {
  const { data } = await client.events.list({ type, limit: 1 }).page()
  return data[0]?.id ?? ''
}

type Wanted = { readonly type: EventTypeName; readonly id: string; readonly newest: string }

async function findEvent(client: Switchyard, { type, id, newest }: Wanted): Promise<Event | null> {
  const { data } = await client.events.list({ type, limit: 50 }).page()
  return data.find((event) => event.id > newest && event.data.includes(id)) ?? null
}
