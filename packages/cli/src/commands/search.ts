/** `search`: finds objects by name, e-mail, order number, card, id or reference. */
import type { Command } from 'commander'
import { declare } from '../command.ts'
import type { Context } from '../context.ts'

export function searchCommand(program: Command): void {
  declare(program, 'search <text...>', 'Search by name, e-mail, order number, card, id or reference', search)
}

async function search(
  { client, output, signal }: Context,
  _options: object,
  ...words: string[]
): Promise<void> {
  const results = await (await client()).search(words.join(' '), { signal })
  const lines = results.data.map(({ id, title, detail }) => [id, title, detail ?? ''].join('  ').trimEnd())
  output.result(results, lines.length === 0 ? 'No results.' : lines.join('\n'))
}
