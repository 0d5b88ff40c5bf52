// The addresses that `npm run dev` listens on. An address set in the environment is used exactly as given, or the
// start fails. Without one, the default port is used, or any free port if another program has it.

import { listener } from '../packages/server/src/config/kinds.ts'
import { freePort, isFree, preferPort } from './services/ports.ts'

const defaults = {
  LIVE_LISTEN: 8080,
  TEST_LISTEN: 8081,
  DASHBOARD_LISTEN: 8083,
  OPS_LISTEN: 9090,
} as const

type Name = keyof typeof defaults

export type DevelopmentListener = {
  /** The value for the server: `host:port`. */
  readonly listen: string
  /** The URL on this machine. */
  readonly url: string
  readonly port: number
  /** Set if the default port was taken. */
  readonly insteadOf?: number
}

export type DevelopmentListeners = Readonly<Record<Name, DevelopmentListener>>

export async function chooseListeners(environment: NodeJS.Dict<string>): Promise<DevelopmentListeners> {
  const listeners: Partial<Record<Name, DevelopmentListener>> = {}
  for (const name of Object.keys(defaults) as Name[]) {
    const address = environment[name]
    const reserved = Object.values(listeners).map(({ port }) => port)
    listeners[name] = address
      ? await useAddress(name, address, reserved)
      : await useDefault(defaults[name], reserved)
  }
  return listeners as DevelopmentListeners
}

async function useAddress(
  name: Name,
  address: string,
  reserved: readonly number[],
): Promise<DevelopmentListener> {
  const parsed = listener.read(address)
  if (parsed === null)
    throw new Error(
      `${name} is "${address}". It must be ${listener.mustBe}, such as 127.0.0.1:${defaults[name]}.`,
    )
  const port = parsed.port === 0 ? await freePort(reserved) : parsed.port
  if (reserved.includes(port) || !(await isFree(port, parsed.host)))
    throw new Error(`${name} is "${address}", but that port is taken. Set ${name} to a free port.`)
  const isAnyHost = parsed.host === '0.0.0.0' || parsed.host === '::'
  const url = `http://${isAnyHost ? '127.0.0.1' : parsed.host}:${port}`
  return { listen: `${parsed.host}:${port}`, url, port }
}

async function useDefault(defaultPort: number, reserved: readonly number[]): Promise<DevelopmentListener> {
  const port = await preferPort(defaultPort, reserved)
  const listen = `127.0.0.1:${port}`
  const moved = port === defaultPort ? {} : { insteadOf: defaultPort }
  return { listen, url: `http://${listen}`, port, ...moved }
}
