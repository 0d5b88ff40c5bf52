// The URL and token for the examples: from two environment variables, or from `npm run dev` in this clone.

import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const development = resolve(import.meta.dirname, '../.switchyard/development.json')

export type Connection = {
  readonly token: string
  readonly baseUrl: string | undefined
  /** Whether it is the token of `npm run dev`, which is only valid on this machine. */
  readonly isDevelopment: boolean
}

export function findConnection(): Connection {
  const { SWITCHYARD_TOKEN: token, SWITCHYARD_BASE_URL: baseUrl } = process.env
  if (token !== undefined) return { token, baseUrl, isDevelopment: false }
  const state = existsSync(development) ? JSON.parse(readFileSync(development, 'utf8')) : null
  if (state?.running !== undefined)
    return { token: state.tokens.test, baseUrl: state.running.testUrl, isDevelopment: true }
  throw new Error('Start `npm run dev` in another terminal, or set SWITCHYARD_TOKEN and SWITCHYARD_BASE_URL.')
}
