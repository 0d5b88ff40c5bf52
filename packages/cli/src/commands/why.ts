/** `why`: what happened to a payment, in sentences. */
import type { Command } from 'commander'
import { declare } from '../command.ts'
import type { Context } from '../context.ts'
import { CliError } from '../exit.ts'
import { kindOf } from '../nouns.ts'
import { styled } from '../output.ts'
import { clockText } from '../time.ts'
import { amountText } from '../words.ts'

export function whyCommand(program: Command): void {
  declare(program, 'why <payment>', 'What happened to a payment, and why', why)
}

async function why(context: Context, _options: object, id = ''): Promise<void> {
  if (kindOf(id) !== 'payment')
    throw new CliError(
      'usage',
      `"${id}" is not the id of a payment.`,
      'They are in: switchyard payments list',
    )
  const client = await context.client()
  const payment = await client.payments.get(id)
  const timeline = await client.payments.timeline(id).all({ max: 1_000 })
  context.output.result({ payment, timeline }, () =>
    [
      styled('bold', payment.summary),
      `${payment.status}  ${amountText({ ...payment })}  ${payment.id}`,
      '',
      ...timeline.map(({ at, type, sentence }) => {
        const words = `${clockText(at)}  ${sentence}`
        // What the world saw stands out; how it came about is between the lines.
        return type === 'event' || type === 'attempt' ? words : styled('dim', `  ${words}`)
      }),
    ].join('\n'),
  )
}
