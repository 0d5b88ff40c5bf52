/** `seed`: examples for a test workspace. */
import type { Command } from 'commander'
import { declare } from '../command.ts'
import type { Context } from '../context.ts'
import { CliError } from '../exit.ts'
import { modeOf } from '../profile.ts'
import { seed } from '../seed/seed.ts'

export function seedCommand(program: Command): void {
  declare(program, 'seed', 'Fill a test workspace with examples; running it again makes nothing twice', run)
}

async function run(context: Context): Promise<void> {
  if (modeOf(context.profile().token) === 'live')
    throw new CliError('refused', 'Examples are for the test environment alone.', 'Choose a test profile.')
  const client = await context.client()
  let made = 0
  for await (const { id, about } of seed(client)) {
    context.output.line({ id, about }, `${id}  ${about}`)
    context.signal.throwIfAborted()
    made += 1
  }
  context.output.note(`${made} objects at ${client.baseUrl}. Their events: switchyard events list`)
}
