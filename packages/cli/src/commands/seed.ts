/** `seed`: fills a test workspace with example data. */
import type { Command } from 'commander'
import { declare } from '../command.ts'
import type { Context } from '../context.ts'
import { CliError } from '../exit.ts'
import { modeOfToken } from '../profile.ts'
import { seed } from '../seed/seed.ts'

export function seedCommand(program: Command): void {
  declare(program, 'seed', 'Fill a test workspace with example data; safe to run again', run)
}

async function run(context: Context): Promise<void> {
  if (modeOfToken(context.profile().token) === 'live')
    throw new CliError('refused', 'Example data can only be created in test mode.', 'Choose a test profile.')
  const client = await context.client()
  let count = 0
  for await (const { id, about } of seed(client)) {
    context.output.line({ id, about }, `${id}  ${about}`)
    context.signal.throwIfAborted()
    count += 1
  }
  context.output.note(`${count} objects at ${client.baseUrl}. See their events with: switchyard events list`)
}
