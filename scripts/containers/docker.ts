import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Runs `docker` with the arguments, and returns its standard output without surrounding spaces. */
export type Docker = (...args: string[]) => Promise<string>

export function dockerIn(folder: string, env: NodeJS.ProcessEnv): Docker {
  return async (...args) => {
    const { stdout } = await promisify(execFile)('docker', args, { cwd: folder, env, maxBuffer: 2 ** 26 })
    return stdout.trim()
  }
}

/** The health of each running service, such as `nats: healthy, postgres: starting`. */
export async function healthOf(docker: Docker): Promise<string> {
  const lines = await docker('compose', 'ps', '--format', '{{.Service}}: {{.Health}}')
  return lines.split('\n').toSorted().join(', ')
}
