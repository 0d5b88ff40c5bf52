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
const real = switchyard.siteFor('test')
const site = {
  ...real,
  inFlight: {
    enter: (key: string) => {
      const leave = inFlight.enter(key)
      entered.resolve()
      return leave
    },
  },
  identify: async (token: string, mayLookUp: boolean) => {
    await gate.promise
    return real.identify(token, mayLookUp)
  },
}
const app = createServer(site)
addOperations(app, site, operationsOf(switchyard.deps))
await app.listen({ host: '127.0.0.1', port: 0 })
afterAll(() => app.close())

test('a caller who leaves while the token is looked up gives the place back', async () => {
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
  // The rest of the same turn belongs to the door.
  await setImmediate()

  expect(inFlight.enter(workspaceId)).not.toBeNull()
})
