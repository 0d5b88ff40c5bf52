/** `events tail` and `resend`: events as they happen, and events once more. */

import type { StreamQuery } from '@switchyard/sdk'
import type { Command } from 'commander'
import { declare } from '../command.ts'
import type { Context } from '../context.ts'
import { clockText, pastTime } from '../time.ts'

type TailOptions = { readonly events?: string; readonly since?: string; readonly data?: boolean }

export function eventsTail(events: Command): void {
  declare<TailOptions>(events, 'tail', 'Show events as they happen', tail)
    .option('--events <types>', 'only these: types, <object>.*, separated by commas')
    .option('--since <when>', 'begin there: 2h, 1d, or a time', (text: string) =>
      pastTime(text).toISOString(),
    )
    .option('--data', 'with what they tell')
}

async function tail(context: Context, { events, since, data }: TailOptions): Promise<void> {
  const client = await context.client()
  const query: StreamQuery = { types: events, since }
  context.output.note('Waiting for events. Ctrl-C stops.')
  for await (const event of client.events.stream(query, { signal: context.signal })) {
    const content = client.events.contentOf(event) as { object?: { id?: string } }
    const words = `${clockText(event.created_at)}  ${event.type.padEnd(28)}  ${event.id}  ${content.object?.id ?? ''}`
    context.output.line(event, data ? `${words}\n${JSON.stringify(content, null, 2)}` : words)
  }
}
