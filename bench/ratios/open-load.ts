/** Requests that do not wait for each other: each takes a connection that is free, or opens one more. */
import { connect, type Socket } from 'node:net'
import { isSuccess, isWhole } from './http-load.ts'

export type Answered = { readonly id: string; readonly tookMs: number }

export type Sockets = {
  /** Settles when it is answered; fails unless that is a success. */
  ask(request: string): Promise<Answered>
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
    return socket
  }
  return {
    async ask(request) {
      const sentMs = performance.now()
      const socket = idle.pop() ?? (await open())
      const answer = await exchange(socket, request)
      const tookMs = performance.now() - sentMs
      idle.push(socket)
      if (!isSuccess(answer)) throw new Error(`The server answered:\n${answer}`)
      const [, id = ''] = /"id":"([^"]+)"/.exec(answer) ?? []
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
    const hear = (chunk: string) => {
      received += chunk
      if (!isWhole(received)) return
      socket.off('data', hear).off('error', reject)
      resolve(received)
    }
    socket.on('data', hear).on('error', reject)
    socket.write(request, 'latin1')
  })
}
