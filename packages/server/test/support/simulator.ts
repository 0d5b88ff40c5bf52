// Starts the simulator in this process on a free port, and calls its control API.

import { afterAll } from 'vitest'
import { type Config, startSimulator } from '../../../simulator/src/index.ts'

/**
 * With `closesUnansweredCalls`, a provider that does not respond closes the connection, so that the caller
 * does not wait for its timeout. Tests of timeouts do not set it.
 */
export async function simulatorForThisFile(options: { readonly closesUnansweredCalls?: true } = {}) {
  const { url, stop } = await startSimulator(options)
  afterAll(stop)

  const control = async <Result>(method: string, path: string, body?: object): Promise<Result> => {
    const text = body === undefined ? null : JSON.stringify(body)
    const response = await fetch(`${url}/control/${path}`, { method, body: text })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Result
  }

  return {
    url,
    configure: (account: string, changes: Partial<Config>) =>
      control<Config>('PUT', `${account}/config`, changes),
    fetchConfig: (account: string) => control<Config>('GET', `${account}/config`),
    cutNextResponse: (account: string, afterBytes: number) =>
      control('POST', `${account}/cut`, { after_bytes: afterBytes }),
    /** The requests that the simulator received for an account, the oldest first. */
    listCalls: async (account: string) =>
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
