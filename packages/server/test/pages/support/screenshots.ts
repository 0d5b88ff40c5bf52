// Takes screenshots for manual review, if `SCREENSHOTS` is set to a folder.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

const { SCREENSHOTS: folder } = process.env
if (folder !== undefined) mkdirSync(folder, { recursive: true })

export async function takeScreenshot(page: Page, name: string, options: { fullPage?: boolean } = {}) {
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), ...options })
}
