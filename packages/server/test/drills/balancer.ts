// What stands before the processes of an installation: it passes whole connections on to those that say they are
// ready, as a load balancer at the level of TCP does, and looks at them many times a second.

import { connect, createServer, type Socket } from 'node:net'

export type Backend = {
  readonly port: number
  readonly readyUrl: string
}

export type Balancer = {
  add(backend: Backend): void
  /** Settles when it is seen to be ready. */
  ready(backend: Backend): Promise<void>
  /** Whether it was seen to answer that it is about to stop, while it still listened. */
  sawLeaving(backend: Backend): boolean
  close(): Promise<void>
}

type Known = Backend & { state: 'new' | 'ready' | 'leaving' | 'gone' }

const lookMs = 100

export async function startBalancer(port: number): Promise<Balancer> {
  const known = new Set<Known>()
  const sockets = new Set<Socket>()
  const ready = new Map<Backend, PromiseWithResolvers<void>>()
  let turn = 0
  const next = () => {
    const able = [...known].filter(({ state }) => state === 'ready')
    turn += 1
    return able[turn % Math.max(1, able.length)]
  }
  const server = createServer((caller) => {
    sockets.add(caller.on('close', () => sockets.delete(caller)))
    pass(caller, next, sockets)
  })
  const timer = setInterval(() => {
    for (const backend of known) void look(backend, () => ready.get(backend)?.resolve())
  }, lookMs)
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve)
  })
  const findKnown = ({ port: own }: Backend) => [...known].find((one) => one.port === own)

  return {
    add(backend) {
      const one: Known = { ...backend, state: 'new' }
      ready.set(one, Promise.withResolvers())
      known.add(one)
    },
    async ready(backend) {
      const one = findKnown(backend)
      if (one !== undefined) await ready.get(one)?.promise
    },
    sawLeaving: (backend) => findKnown(backend)?.state === 'leaving' || findKnown(backend)?.state === 'gone',
    async close() {
      clearInterval(timer)
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Once it leaves, it does not come back. One that is gone without a word was never seen to leave. */
async function look(backend: Known, isReady: () => void): Promise<void> {
  const answer = await fetch(backend.readyUrl).catch(() => null)
  await answer?.body?.cancel()
  if (backend.state === 'gone') return
  if (answer === null) {
    if (backend.state === 'leaving') backend.state = 'gone'
    return
  }
  if (answer.ok && backend.state === 'new') {
    backend.state = 'ready'
    isReady()
  } else if (!answer.ok && backend.state === 'ready') backend.state = 'leaving'
}

function pass(caller: Socket, next: () => Backend | undefined, sockets: Set<Socket>): void {
  const backend = next()
  if (backend === undefined) return void caller.destroy()
  const server = connect(backend.port, '127.0.0.1')
  sockets.add(server.on('close', () => sockets.delete(server)))
  caller.on('error', () => server.destroy())
  server.on('error', () => caller.destroy())
  caller.pipe(server).pipe(caller)
}
