// The simulator, in this process and on a free port, and the door through which a test tells it what to do.

import { afterAll } from 'vitest'
import { type Config, startSimulator } from '../../../simulator/src/index.ts'

export async function simulatorForThisFile() {
  const { url, stop } = await startSimulator()
  afterAll(stop)

  const control = async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const text = body === undefined ? null : JSON.stringify(body)
    const answer = await fetch(`${url}/control/${path}`, { method, body: text })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Answer
  }

  return {
    url,
    configure: (account: string, changes: Partial<Config>) =>
      control<Config>('PUT', `${account}/config`, changes),
    configOf: (account: string) => control<Config>('GET', `${account}/config`),
    /** What it was asked, the oldest first. */
    callsOf: async (account: string) =>
      (await control<{ calls: readonly SimulatorCall[] }>('GET', `${account}/calls`)).calls,
  }
}

type SimulatorCall = {
  readonly method: string
  readonly path: string
  readonly signature: 'valid' | 'invalid'
  readonly body: { readonly instrument?: object } | null
  readonly answer: string | null
}
