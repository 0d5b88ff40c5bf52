/** A shell that somebody types into: one line after the other, each when the one before is done. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

export type Shell = {
  /** Waits until the line is done and went well; one that stays, until it has said so. */
  type(line: string, until?: RegExp): Promise<void>
  /** Waits until it has been said, by whatever runs in it. */
  says(text: RegExp): Promise<void>
  close(): Promise<void>
}

const limitMs = 300_000
/** What is asked to end has so long to put its things away. */
const endsWithinMs = 20_000

export function openShell(folder: string, env: Record<string, string>): Shell {
  // A group of its own: what was started in it ends with it.
  const bash = spawn('bash', ['-s'], { cwd: folder, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  const exited = once(bash, 'exit')
  let said = ''
  const listeners = new Set<() => void>()
  for (const stream of [bash.stdout, bash.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
      for (const listener of [...listeners]) listener()
    })

  const heard = (text: RegExp): Promise<RegExpExecArray> => {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>()
    const look = () => {
      const match = text.exec(said)
      if (match !== null) resolve(match)
    }
    const timer = setTimeout(
      () => reject(new Error(`Waited for ${text} in vain. It said:\n${said}`)),
      limitMs,
    )
    listeners.add(look)
    look()
    return promise.finally(() => {
      clearTimeout(timer)
      listeners.delete(look)
    })
  }

  let count = 0
  return {
    async type(line, until) {
      if (until !== undefined) {
        bash.stdin.write(`${line}\n`)
        await heard(until)
        return
      }
      count += 1
      bash.stdin.write(`${line}\necho "line ${count} ended with $?"\n`)
      const [, code] = await heard(new RegExp(`line ${count} ended with (\\d+)`))
      if (code !== '0') throw new Error(`\`${line}\` ended with ${code}:\n${said}`)
    },
    async says(text) {
      await heard(text)
    },
    async close() {
      // What it runs has things to put away; its folder is removed afterwards.
      signalled(bash.pid as number, 'SIGTERM')
      const deadline = Date.now() + endsWithinMs
      while (signalled(bash.pid as number, 0) && Date.now() < deadline) await sleep(200)
      const isStuck = signalled(bash.pid as number, 'SIGKILL')
      await exited
      if (isStuck)
        throw new Error(`It did not end within ${endsWithinMs} ms and was killed. It said:\n${said}`)
    },
  }
}

/** Whether anything of the group is still there to hear it. */
function signalled(group: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    return process.kill(-group, signal)
  } catch {
    return false
  }
}
