/** Open-loop load: each request uses a free connection or opens a new one. */
import { connect, type Socket } from 'node:net'
import { isComplete, isSuccess } from './http-load.ts'

export type TimedResponse = { readonly id: string; readonly tookMs: number }

export type Sockets = {
  /** Resolves with the response; rejects unless it is a success. */
  send(request: string): Promise<TimedResponse>
  close(): void
}

export function openSockets(port: number): Sockets {
  const idle: Socket[] = []
  const all = new Set<Socket>()
  const open = async () => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.setEncoding('latin1')
    all.add(socket)
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    // The server closes connections that were idle for a while.
    socket.once('close', () => {
      all.delete(socket)
      const place = idle.indexOf(socket)
      if (place >= 0) idle.splice(place, 1)
    })
    return socket
  }
  return {
    async send(request) {
      const sentMs = performance.now()
      const socket = idle.pop() ?? (await open())
      const response = await exchange(socket, request)
      const tookMs = performance.now() - sentMs
      if (!socket.destroyed) idle.push(socket)
      if (!isSuccess(response)) throw new Error(`The server responded:\n${response}`)
      const [, id = ''] = /"id":"([^"]+)"/.exec(response) ?? []
      return { id, tookMs }
    },
    close() {
      for (const socket of all) socket.destroy()
    },
  }
}

function exchange(socket: Socket, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = ''
    const onData = (chunk: string) => {
      received += chunk
      if (!isComplete(received)) return
      socket.off('data', onData).off('error', reject).off('close', onClose)
      resolve(received)
    }
    const onClose = () => reject(new Error('The server closed the connection before its response.'))
    socket.on('data', onData).on('error', reject).on('close', onClose)
    socket.write(request, 'latin1')
  })
}
