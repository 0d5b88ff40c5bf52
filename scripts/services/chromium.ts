// Starts Chromium for page tests: CHROMIUM_BIN, or the first one on PATH. Its background networking is disabled.

import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

export function startChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium(), args: flags })
}

export function findChromium(): string {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const onPath = names.flatMap((name) => folders.map((folder) => join(folder, name)))
  const candidates = process.env.CHROMIUM_BIN ? [process.env.CHROMIUM_BIN] : onPath
  const found = candidates.find(isProgram)
  if (found !== undefined) return found
  throw new Error(
    'Chromium was not found. On Debian or Ubuntu: apt-get install --no-install-recommends chromium. Elsewhere, install it and set CHROMIUM_BIN.',
  )
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
