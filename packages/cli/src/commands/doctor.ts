/** `doctor`: checks the installation that the token belongs to, and says how to fix problems. */
import type { Command } from 'commander'
import { declare } from '../command.ts'
import type { Context } from '../context.ts'
import { CliError } from '../exit.ts'
import { styled } from '../output.ts'

const colours = { ok: 'green', warn: 'yellow', fail: 'red' } as const

/** Failed checks come first. */
const order = ['fail', 'warn', 'ok']

export function doctorCommand(program: Command): void {
  declare(program, 'doctor', 'Check the installation; requires an ADMIN token', doctor)
}

async function doctor({ client, output, signal }: Context): Promise<void> {
  const system = await (await client()).system.get({ signal })
  const worstFirst = system.checks.toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status))
  const lines = worstFirst.map(({ status, title, detail, advice }) => {
    const line = `${styled(colours[status], status.padEnd(5))} ${title}: ${detail}`
    return advice === null ? line : `${line}\n      ${advice}`
  })
  output.result(system, lines.join('\n'))
  const failed = system.checks.filter(({ status }) => status === 'fail').length
  if (failed > 0) throw new CliError('failed', `${failed} of ${system.checks.length} checks failed.`)
}
