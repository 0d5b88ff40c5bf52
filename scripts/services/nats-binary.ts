// Finds a recent nats-server: NATS_SERVER_BIN, on PATH, saved in this clone, or downloaded into the clone. Finding none
// is not an error, because development works without it: the result then explains how to install one.

import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { developmentSuite, fetchNatsServer } from './nats-apt.ts'

export type NatsServer = { binary: string } | NatsUnavailable
export type NatsUnavailable = { binary: null; explanation: string }

/** The first version with scheduled messages, which start work at its due time. */
const minimum = { major: 2, minor: 12 }

const savedBinary = resolve(import.meta.dirname, '../../.switchyard/bin/nats-server')

export async function findNatsServer(): Promise<NatsServer> {
  const configured = process.env.NATS_SERVER_BIN
  // Do not fall back to another one, which would hide a mistake in NATS_SERVER_BIN.
  if (configured)
    return (await isRecent(configured))
      ? { binary: configured }
      : unavailable(`NATS_SERVER_BIN (${configured}) is not`)
  for (const candidate of [...onPath(), savedBinary]) {
    if (await isRecent(candidate)) return { binary: candidate }
  }
  return await fetchBinary()
}

async function fetchBinary(): Promise<NatsServer> {
  const suite = developmentSuite()
  if (!suite) return unavailable('No program on PATH is')
  try {
    await fetchNatsServer(suite, savedBinary)
  } catch (error) {
    return unavailable(
      `Downloading nats-server with apt failed (${String(error)}), and no program on PATH is`,
    )
  }
  return (await isRecent(savedBinary))
    ? { binary: savedBinary }
    : unavailable('No program on PATH or in the apt archive is')
}

function onPath(): string[] {
  const folders = (process.env.PATH ?? '').split(':')
  // Debian installs servers in /usr/sbin, which is only on the PATH of root.
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

function unavailable(problem: string): NatsUnavailable {
  const requirement = `nats-server ${minimum.major}.${minimum.minor} or newer`
  return {
    binary: null,
    explanation: [
      `${problem} a working ${requirement}. Ways to get one:`,
      '  macOS      brew install nats-server',
      `  Go         go install github.com/nats-io/nats-server/v${minimum.major}@latest`,
      `  container  docker run -p 4222:4222 nats:${minimum.major}.${minimum.minor} -js, and set NATS_URL=nats://127.0.0.1:4222`,
      '  any other  https://docs.nats.io/running-a-nats-service/introduction/installation',
      'Put it on PATH, or set NATS_SERVER_BIN.',
    ].join('\n'),
  }
}
