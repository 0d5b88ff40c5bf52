/** `open`: opens the page of an object in the dashboard. */
import { spawn } from 'node:child_process'
import type { Command } from 'commander'
import { declare } from '../command.ts'
import type { Context } from '../context.ts'
import { isTerminal } from '../environment.ts'
import { type Noun, nounOfId } from '../nouns.ts'

const localDashboard = 'http://localhost:8083'

export function openCommand(program: Command, nouns: readonly Noun[]): void {
  declare<{ readonly browser?: boolean }>(
    program,
    'open <id>',
    'Open an object in the dashboard',
    (context, options, id = '') => {
      // Reject an invalid id here instead of opening an error page.
      nounOfId(nouns, id)
      open(context, id, options.browser !== false)
    },
  ).option('--no-browser', 'only print the URL')
}

function open({ output, profile }: Context, id: string, inBrowser: boolean): void {
  const dashboard = (profile().dashboard_url ?? localDashboard).replace(/\/+$/, '')
  const url = `${dashboard}/open/${id}`
  output.result({ url }, url)
  if (inBrowser && isTerminal(process.stdout)) launchBrowser(url)
}

/** Errors are ignored: without a browser, the URL has already been printed. */
function launchBrowser(url: string): void {
  const opener = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open'
  spawn(opener, [url], { stdio: 'ignore', detached: true })
    .once('error', () => {})
    .unref()
}
