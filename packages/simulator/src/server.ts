/**
 * The listener: control for this machine, the protocol for whoever signs, a page for payers. No answer leaves
 * before everything it may tell of is on the disk.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { control } from './control.ts'
import { type Reply, send } from './faults.ts'
import { answer } from './gateway.ts'
import { type Incoming, readIncoming } from './incoming.ts'
import { errorReply } from './records.ts'
import { visitBank } from './three-d-secure.ts'
import type { World } from './world.ts'

/** `publicUrl` is where browsers find the simulator, if that is not where its merchants do. */
export function newServer(world: World, publicUrl: string | null): Server {
  return createServer((request, response) => {
    serve(world, publicUrl, request, response).catch((error: unknown) => {
      // What broke may have moved money, or not: the sender learns as little as from a provider that broke.
      console.error(error)
      response.destroy()
    })
  })
}

async function serve(
  world: World,
  publicUrl: string | null,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const incoming = await readIncoming(request)
  if (incoming === null) return void response.destroy()
  // A timer may be late, and a merchant who asks on time must not see the state before.
  world.clock.runDue()
  const origin = publicUrl ?? `http://${request.headers.host}`
  const reply = await replyTo(world, incoming, origin)
  await world.journal.durable()
  await send(request, response, reply, world.clock)
}

function replyTo(world: World, incoming: Incoming, origin: string): Reply | Promise<Reply> {
  const { method, segments, query, bytes } = incoming
  const [first = '', second, reference] = segments
  if (first === 'control') {
    return incoming.isLocal ? control(world, incoming) : errorReply(403, 'forbidden', 'Not from elsewhere.')
  }
  const account = world.accounts.get(first)
  if (account !== undefined && second === '3ds' && reference !== undefined) {
    const pressed = method === 'POST' ? new URLSearchParams(bytes.toString()).get('result') : null
    return visitBank({ world, account }, { reference, auto: query.has('auto'), pressed })
  }
  return answer(world, incoming, origin)
}
