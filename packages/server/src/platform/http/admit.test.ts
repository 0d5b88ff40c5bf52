import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'
import { operationsOf } from '../../operations.ts'
import { createInFlight } from './limits.ts'
import { addOperations, createServer } from './server.ts'

const switchyard = await switchyardForThisFile()
const gate = Promise.withResolvers<void>()
const inFlight = createInFlight(1)
const entered = Promise.withResolvers<void>()
const actual = switchyard.httpContext('test')
const context = {
  ...actual,
  inFlight: {
    enter: (key: string) => {
      const leave = inFlight.enter(key)
      entered.resolve()
      return leave
    },
  },
  identify: async (token: string, address: string) => {
    await gate.promise
    return actual.identify(token, address)
  },
}
const app = createServer(context)
addOperations(app, context, operationsOf(switchyard.deps))
await app.listen({ host: '127.0.0.1', port: 0 })
afterAll(() => app.close())

test('a client that disconnects during the token lookup frees its slot', async () => {
  const { token, workspaceId } = await switchyard.newWorkspace()
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  const arrived = once(app.server, 'request')
  socket.write(`GET /me HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`)
  const [request] = await arrived
  request.socket.on('error', () => {})
  const gone = new Promise((closed) => request.socket.once('close', closed))
  socket.resetAndDestroy()
  await gone

  gate.resolve()

  await entered.promise
  // Let the admission hook finish its turn.
  await setImmediate()

  expect(inFlight.enter(workspaceId)).not.toBeNull()
})
