/** `why`: explains what happened to a payment. */
import type { Command } from 'commander'
import { declare } from '../command.ts'
import type { Context } from '../context.ts'
import { CliError } from '../exit.ts'
import { formatAmount } from '../format-list.ts'
import { kindOf } from '../nouns.ts'
import { styled } from '../output.ts'
import { formatTimeOfDay } from '../time.ts'

export function whyCommand(program: Command): void {
  declare(program, 'why <payment>', 'Explain what happened to a payment, and why', why)
}

async function why(context: Context, _options: object, id = ''): Promise<void> {
  if (kindOf(id) !== 'payment')
    throw new CliError(
      'usage',
      `"${id}" is not the id of a payment.`,
      'List payments with: switchyard payments list',
    )
  const client = await context.client()
  const payment = await client.payments.get(id)
  const timeline = await client.payments.timeline(id).all({ max: 1_000 })
  context.output.result({ payment, timeline }, () =>
    [
      styled('bold', payment.summary),
      `${payment.status}  ${formatAmount({ ...payment })}  ${payment.id}`,
      '',
      ...timeline.map(({ at, type, sentence }) => {
        const line = `${formatTimeOfDay(at)}  ${sentence}`
        // Events and attempts stand out; the details between them are dimmed.
        return type === 'event' || type === 'attempt' ? line : styled('dim', `  ${line}`)
      }),
    ].join('\n'),
  )
}
