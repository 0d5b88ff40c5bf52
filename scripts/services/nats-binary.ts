// Finds a nats-server that is new enough: the one named by NATS_SERVER_BIN, the one on PATH, the one kept
// in this clone, else one fetched into the clone. Having none is an answer, not a failure: development
// goes on without it, so the answer says how to get one.

import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { developmentSuite, fetchNatsServer } from './nats-apt.ts'

export type NatsServer = { binary: string } | NatsUnavailable
export type NatsUnavailable = { binary: null; explanation: string }

/** Scheduled messages, which wake work at its time, came with this version. */
const minimum = { major: 2, minor: 12 }

const kept = resolve(import.meta.dirname, '../../.switchyard/bin/nats-server')

export async function findNatsServer(): Promise<NatsServer> {
  const named = process.env.NATS_SERVER_BIN
  // Whoever names one wants that one: to go on with another would hide the mistake.
  if (named)
    return (await isRecent(named)) ? { binary: named } : unavailable(`NATS_SERVER_BIN (${named}) is not`)
  for (const candidate of [...onPath(), kept]) {
    if (await isRecent(candidate)) return { binary: candidate }
  }
  return await fetched()
}

async function fetched(): Promise<NatsServer> {
  const suite = developmentSuite()
  if (!suite) return unavailable('There is none on PATH that is')
  try {
    await fetchNatsServer(suite, kept)
  } catch (error) {
    return unavailable(`Fetching one by apt failed (${String(error)}), and none on PATH is`)
  }
  return (await isRecent(kept))
    ? { binary: kept }
    : unavailable('Neither PATH nor the apt archive has one that is')
}

function onPath(): string[] {
  const folders = (process.env.PATH ?? '').split(':')
  // Debian puts servers where only root looks by default.
  return [...folders, '/usr/sbin']
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, 'nats-server'))
}

async function isRecent(binary: string): Promise<boolean> {
  const version = await promisify(execFile)(binary, ['--version'], { timeout: 10_000 }).then(
    ({ stdout }) => /v(\d+)\.(\d+)\./.exec(stdout),
    () => null,
  )
  if (!version) return false
  const [major, minor] = [Number(version[1]), Number(version[2])]
  return major > minimum.major || (major === minimum.major && minor >= minimum.minor)
}

function unavailable(finding: string): NatsUnavailable {
  const wanted = `nats-server ${minimum.major}.${minimum.minor} or newer`
  return {
    binary: null,
    explanation: [
      `${finding} a working ${wanted}. Ways to get one:`,
      '  macOS      brew install nats-server',
      `  Go         go install github.com/nats-io/nats-server/v${minimum.major}@latest`,
      `  container  docker run -p 4222:4222 nats:${minimum.major}.${minimum.minor} -js, and set NATS_URL=nats://127.0.0.1:4222`,
      '  any other  https://docs.nats.io/running-a-nats-service/introduction/installation',
      'Put it on PATH, or name it in NATS_SERVER_BIN.',
    ].join('\n'),
  }
}
