/** `search`: objects by what somebody knows of them. */
import type { Command } from 'commander'
import { declare } from '../command.ts'
import type { Context } from '../context.ts'

export function searchCommand(program: Command): void {
  declare(program, 'search <text...>', 'Find objects by id, e-mail, order, reference or card', search)
}

async function search(
  { client, output, signal }: Context,
  _options: object,
  ...words: string[]
): Promise<void> {
  const found = await (await client()).search(words.join(' '), { signal })
  const lines = found.data.map(({ id, title, detail }) => [id, title, detail ?? ''].join('  ').trimEnd())
  output.result(found, lines.length === 0 ? 'Nothing has exactly this.' : lines.join('\n'))
}
