/** Puts the pieces together: the books, read again from their file, and the listener before them. */
import type { AddressInfo } from 'node:net'
import { newClock } from './clock.ts'
import { type Config, wrongMembers } from './config.ts'
import { control, isAccountName } from './control.ts'
import { scheduleDecision } from './course.ts'
import { type Journal, memoryJournal, openJournal } from './journal.ts'
import { newServer } from './server.ts'
import { accountNamed, apply, type Line, newWorld, type World } from './world.ts'

export type SimulatorOptions = {
  readonly host?: string
  /** 0, the default, takes any free one. */
  readonly port?: number
  /** Where the books are kept. Without it they are gone when the process is. */
  readonly ledgerFile?: string
  /** Where payers' browsers find the simulator, if not where merchants do. */
  readonly publicUrl?: string
  readonly accounts?: readonly (Partial<Config> & { readonly name: string })[]
}

export type Simulator = {
  readonly url: string
  /** What `/control/<path>` answers, without a socket: for a test that asks very often. */
  control<Answer = unknown>(method: string, path: string, body?: object): Promise<Answer>
  stop(): Promise<void>
}

export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { host = '127.0.0.1', port = 0, ledgerFile, publicUrl = null, accounts = [] } = options
  const { journal, lines } = await open(ledgerFile)
  const world = newWorld(newClock(), journal)
  for (const line of lines) apply(world, line)
  for (const { name, ...config } of accounts) configure(world, name, config)
  resume(world)

  const server = newServer(world, publicUrl)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
  const { port: taken } = server.address() as AddressInfo

  async function stop(): Promise<void> {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
    world.clock.stop()
    await journal.close()
  }

  return { ...ownControl(world), url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`, stop }
}

function ownControl(world: World): Pick<Simulator, 'control'> {
  return {
    async control<Answer>(method: string, path: string, body?: object): Promise<Answer> {
      world.clock.runDue()
      const [pathname = '', search = ''] = path.split('?', 2)
      const reply = await control(world, {
        method,
        segments: ['control', ...pathname.split('/')],
        query: new URLSearchParams(search),
        bytes: Buffer.from(body === undefined ? '' : '{}'),
        body: body ?? null,
      })
      if (reply.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)}`)
      return reply.body as Answer
    },
  }
}

async function open(file: string | undefined): Promise<{ journal: Journal<Line>; lines: Line[] }> {
  return file === undefined ? { journal: memoryJournal, lines: [] } : openJournal<Line>(file)
}

function configure(world: World, name: string, config: Partial<Config>): void {
  const wrong = isAccountName(name) ? wrongMembers(config) : ['name']
  if (wrong.length > 0) throw new Error(`Account ${name}: not as it must be: ${wrong.join(', ')}.`)
  const account = accountNamed(world, name)
  account.config = { ...account.config, ...config }
}

/** What was to be decided later is still to be decided. */
function resume(world: World): void {
  for (const account of world.accounts.values()) {
    for (const operation of account.operations.values()) scheduleDecision({ world, account }, operation)
  }
}
