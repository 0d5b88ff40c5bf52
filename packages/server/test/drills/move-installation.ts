// An installation with a control plane and two data shards, `a` and `b`, and two workspaces on `a`. One of them is moved by
// the drill, and both are under load. The databases are on one server, or on a server each.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type Postgres, startPostgres } from '../../../../scripts/services/postgres.ts'
import { idFromUuid } from '../../src/kernel/id.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { spreadSlots } from '../../src/platform/db/placements.ts'
import { programPath } from '../support/program-path.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { type DrillInstallation, newWorkspace, startInstallation } from './installation.ts'

export const databaseNames = ['control', 'a', 'b'] as const
export type DatabaseName = (typeof databaseNames)[number]
export type ShardName = 'a' | 'b'

export type MovableWorkspace = { readonly uuid: string; readonly id: string; readonly token: string }

export type CommandResult = { readonly ending: number | NodeJS.Signals; readonly out: string }

export type MoveInstallation = {
  readonly installation: DrillInstallation
  readonly server: ServerProcess
  readonly moving: MovableWorkspace
  readonly other: MovableWorkspace
  urlOf(name: DatabaseName): string
  /** Runs a command of the server. With a crash point, it is killed there. */
  run(args: readonly string[], crashpoint?: string): Promise<CommandResult>
  /** Kills the server of the database, and starts it again. */
  restart(name: DatabaseName): Promise<void>
  /** Whether the workspace can be changed on the shard. */
  isOpenOn(name: ShardName): Promise<boolean>
  /** The shards on which the workspace can be changed. */
  findOpenShards(): Promise<readonly ShardName[]>
  stop(): Promise<void>
}

export type MoveInstallationOptions = {
  readonly servers: 'together' | 'apart'
  readonly settings: Readonly<Record<string, string>>
}

const settings = {
  wal_level: 'logical',
  max_worker_processes: '24',
  max_logical_replication_workers: '16',
  max_sync_workers_per_subscription: '6',
  max_wal_senders: '24',
  max_replication_slots: '24',
}

export async function startMoveInstallation(options: MoveInstallationOptions): Promise<MoveInstallation> {
  const installation = await startInstallation()
  const databases = await startDatabases(installation.folder, options)
  const { urlOf } = databases
  const owners = (['a', 'b'] as const).map((name) => ({ name, ownerUrl: urlOf(name) }))
  const environmentOf = (names: readonly ShardName[]) => ({
    ...installation.environment(urlOf('control')),
    SHARDS: names.map((name) => `${name}=${urlOf(name)}`).join(','),
  })
  // Both workspaces are created while there is one shard.
  await spreadSlots(urlOf('control'), owners.slice(0, 1))
  const moving = await createWorkspace(environmentOf(['a']), urlOf('control'))
  const other = await createWorkspace(environmentOf(['a']), urlOf('control'))
  await spreadSlots(urlOf('control'), owners)
  const environment = environmentOf(['a', 'b'])
  const server = await installation.start('all', {
    ...environment,
    TEST_LISTEN: `127.0.0.1:${installation.port}`,
  })

  const isOpenOn = (name: ShardName): Promise<boolean> =>
    asOwner(urlOf(name), async (client) => {
      const { rows } = await client.query(
        `select exists (select from workspaces where workspace_id = $1)
           and not exists (select from placements where workspace_id = $1) as open`,
        [moving.uuid],
      )
      return rows[0].open
    })

  return {
    installation,
    server,
    moving,
    other,
    urlOf,
    run: (args, crashpoint) =>
      runCommand(args, { ...environment, ...(crashpoint && { CRASHPOINT: crashpoint }) }),
    restart: databases.restart,
    isOpenOn,
    findOpenShards: async () => {
      const open = async (name: ShardName) => ((await isOpenOn(name)) ? [name] : [])
      return (await Promise.all([open('a'), open('b')])).flat()
    },
    async stop() {
      await installation.clear()
      await databases.stop()
    },
  }
}

async function startDatabases(folder: string, { servers, settings: own }: MoveInstallationOptions) {
  const start = (name: string, port?: number) =>
    startPostgres({
      dataDir: join(folder, `postgres-${name}`),
      settings: { ...settings, ...own },
      ...(port === undefined ? {} : { port }),
    })
  const serverOf = (name: DatabaseName) => (servers === 'together' ? 'control' : name)
  const running = new Map<string, Postgres>()
  for (const name of new Set(databaseNames.map(serverOf))) running.set(name, await start(name))
  const urlOf = (name: DatabaseName) => {
    const { url } = running.get(serverOf(name)) as Postgres
    return Object.assign(new URL(url), { pathname: `/${name}` }).href
  }
  for (const name of databaseNames) {
    const { url } = running.get(serverOf(name)) as Postgres
    await asOwner(url, (client) => client.query(`create database ${name}`))
    await migrate(urlOf(name))
  }
  return {
    urlOf,
    async restart(name: DatabaseName) {
      const server = running.get(serverOf(name)) as Postgres
      await server.stop('immediate')
      running.set(serverOf(name), await start(serverOf(name), server.port))
    },
    stop: async () => {
      for (const server of running.values()) await server.stop('immediate')
    },
  }
}

async function createWorkspace(
  environment: Record<string, string>,
  controlUrl: string,
): Promise<MovableWorkspace> {
  const token = await newWorkspace(environment)
  const uuid = await asOwner(controlUrl, async (client) => {
    const { rows } = await client.query(
      'select id from control.workspaces order by created_at desc, id desc limit 1',
    )
    return rows[0].id as string
  })
  return { uuid, id: idFromUuid('workspace', 'test', uuid), token }
}

async function runCommand(
  args: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<CommandResult> {
  const env = { PATH: process.env.PATH, ...environment }
  const child = spawn(process.execPath, [programPath('server'), ...args], { env })
  const chunks: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => chunks.push(text))
  const [code, signal] = await once(child, 'close')
  return { ending: signal ?? code, out: chunks.join('') }
}
