/** Calls the API of the measured server. */
import { setTimeout as pause } from 'node:timers/promises'
import type { BenchEnvironment } from './environment.ts'

type Request = { readonly method: string; readonly path: string; readonly body?: object | undefined }

// biome-ignore lint/suspicious/noExplicitAny: each caller knows the type of the body.
export async function callApi(bench: BenchEnvironment, { method, path, body }: Request): Promise<any> {
  const response = await fetch(`http://127.0.0.1:${bench.port}${path}`, {
    method,
    headers: { authorization: `Bearer ${bench.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  // On a machine with much other load, the server may respond that it is overloaded.
  if (response.status === 503) return pause(1000).then(() => callApi(bench, { method, path, body }))
  const result = await response.json()
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(result)}`)
  return result
}
