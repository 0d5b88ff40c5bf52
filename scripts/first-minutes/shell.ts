/** A bash process that runs commands line by line. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

export type Shell = {
  /** Runs a line and waits until it has succeeded; with `until`, only until the output matches. */
  runLine(line: string, until?: RegExp): Promise<void>
  /** Waits until the output of any command matches. */
  waitForOutput(text: RegExp): Promise<RegExpExecArray>
  close(): Promise<void>
}

const timeoutMs = 300_000
/** How long processes have to stop after SIGTERM. */
const stopTimeoutMs = 20_000

export function openShell(folder: string, env: Record<string, string>): Shell {
  // Use a process group, so that everything started in the shell can be stopped with it.
  const bash = spawn('bash', ['-s'], { cwd: folder, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  const exited = once(bash, 'exit')
  let output = ''
  const listeners = new Set<() => void>()
  for (const stream of [bash.stdout, bash.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      for (const listener of [...listeners]) listener()
    })

  const waitForMatch = (text: RegExp): Promise<RegExpExecArray> => {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>()
    const check = () => {
      const match = text.exec(output)
      if (match !== null) resolve(match)
    }
    const timer = setTimeout(
      () => reject(new Error(`Timed out waiting for ${text}. Output:\n${output}`)),
      timeoutMs,
    )
    listeners.add(check)
    check()
    return promise.finally(() => {
      clearTimeout(timer)
      listeners.delete(check)
    })
  }

  let count = 0
  return {
    async runLine(line, until) {
      if (until !== undefined) {
        bash.stdin.write(`${line}\n`)
        await waitForMatch(until)
        return
      }
      count += 1
      bash.stdin.write(`${line}\necho "line ${count} ended with $?"\n`)
      const [, code] = await waitForMatch(new RegExp(`line ${count} ended with (\\d+)`))
      if (code !== '0') throw new Error(`\`${line}\` ended with ${code}:\n${output}`)
    },
    waitForOutput: waitForMatch,
    async close() {
      // Let its processes clean up, because their folder is removed afterwards.
      signalGroup(bash.pid as number, 'SIGTERM')
      const deadline = Date.now() + stopTimeoutMs
      while (signalGroup(bash.pid as number, 0) && Date.now() < deadline) await sleep(200)
      const isStuck = signalGroup(bash.pid as number, 'SIGKILL')
      await exited
      if (isStuck)
        throw new Error(
          `The shell did not stop within ${stopTimeoutMs} ms and was killed. Output:\n${output}`,
        )
    },
  }
}

/** Sends a signal. Returns whether the group still has processes. */
function signalGroup(group: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    return process.kill(-group, signal)
  } catch {
    return false
  }
}
