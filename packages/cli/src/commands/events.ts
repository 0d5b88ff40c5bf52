/** `events tail`: shows events as they happen. */

import type { StreamQuery } from '@switchyard/sdk'
import type { Command } from 'commander'
import { declare } from '../command.ts'
import type { Context } from '../context.ts'
import { formatTimeOfDay, parsePastTime } from '../time.ts'

type TailOptions = { readonly events?: string; readonly since?: string; readonly data?: boolean }

export function eventsTail(events: Command): void {
  declare<TailOptions>(events, 'tail', 'Show events as they happen', tail)
    .option(
      '--events <types>',
      'only these event types, separated by commas; <object>.* matches all types of an object',
    )
    .option('--since <when>', 'start in the past: 2h, 1d, or a time', (text: string) =>
      parsePastTime(text).toISOString(),
    )
    .option('--data', 'include the data of each event')
}

async function tail(context: Context, { events, since, data }: TailOptions): Promise<void> {
  const client = await context.client()
  const query: StreamQuery = { types: events, since }
  context.output.note('Waiting for events. Press Ctrl-C to stop.')
  for await (const event of client.events.stream(query, { signal: context.signal })) {
    const content = client.events.contentOf(event) as { object?: { id?: string } }
    const line = `${formatTimeOfDay(event.created_at)}  ${event.type.padEnd(28)}  ${event.id}  ${content.object?.id ?? ''}`
    context.output.line(event, data ? `${line}\n${JSON.stringify(content, null, 2)}` : line)
  }
}
