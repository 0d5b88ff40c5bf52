// Downloads a nats-server from the package archive that this machine already trusts. The one in released versions of
// Debian and Ubuntu is too old, but the one in their development suite is not, and it also runs on older releases.
// Nothing is installed: apt works in a temporary folder, verifies the signature of the archive, and needs no root.

import { execFile } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseEnv, promisify } from 'node:util'

type Suite = { name: string; component: string; keyring: string }

const run = promisify(execFile)
const timeout = 180_000

const developmentSuites: Record<string, Suite> = {
  debian: { name: 'sid', component: 'main', keyring: '/usr/share/keyrings/debian-archive-keyring.gpg' },
  ubuntu: { name: 'devel', component: 'universe', keyring: '/usr/share/keyrings/ubuntu-archive-keyring.gpg' },
}

/** The development suite of this distribution, or null without an apt archive. */
export function developmentSuite(): Suite | null {
  const suite = developmentSuites[osRelease().ID ?? '']
  return suite && existsSync(suite.keyring) && existsSync('/usr/bin/apt-get') ? suite : null
}

export async function fetchNatsServer(suite: Suite, target: string): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'switchyard-apt-'))
  try {
    const apt = await privateApt(suite, work)
    await run('apt-get', [...apt, 'update'], { timeout })
    await run('apt-get', [...apt, 'download', 'nats-server'], { cwd: work, timeout })
    const archive = readdirSync(work).find((file) => file.endsWith('.deb'))
    if (!archive) throw new Error('apt-get download returned no package')
    await run('dpkg', ['-x', join(work, archive), join(work, 'unpacked')], { timeout })
    moveIntoPlace(join(work, 'unpacked', 'usr', 'sbin', 'nats-server'), target)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

async function privateApt(suite: Suite, work: string): Promise<string[]> {
  mkdirSync(join(work, 'lists', 'partial'), { recursive: true })
  mkdirSync(join(work, 'cache', 'archives', 'partial'), { recursive: true })
  const sources = join(work, 'sources.list')
  const uri = await archiveUri(suite.component)
  writeFileSync(sources, `deb [signed-by=${suite.keyring}] ${uri} ${suite.name} ${suite.component}\n`)
  const options = [
    `Dir::Etc::sourcelist=${sources}`,
    'Dir::Etc::sourceparts=-',
    `Dir::State::lists=${join(work, 'lists')}`,
    `Dir::Cache=${join(work, 'cache')}`,
    'Acquire::Languages=none',
    // Otherwise apt, started by root, drops to a user without write access to this folder.
    'APT::Sandbox::User=root',
  ]
  return ['-q', ...options.flatMap((option) => ['-o', option])]
}

/** The mirror that is configured on this machine. */
export async function archiveUri(component: string): Promise<string> {
  const format = '$(REPO_URI) $(RELEASE) $(COMPONENT)'
  // Without release information apt only reads its configuration, so this works before any update.
  const args = ['indextargets', '--no-release-info', '--format', format, 'Created-By: Packages']
  const { stdout } = await run('apt-get', args, { timeout })
  const codename = osRelease().VERSION_CODENAME
  const targets = stdout.split('\n').map((line) => line.split(' '))
  const uri = targets.find(
    ([, release, targetComponent]) => release === codename && targetComponent === component,
  )?.[0]
  if (!uri) throw new Error(`apt has no source for ${codename} ${component}`)
  return uri
}

function osRelease(): NodeJS.Dict<string> {
  return existsSync('/etc/os-release') ? parseEnv(readFileSync('/etc/os-release', 'utf8')) : {}
}

/** Renames the finished file into place, so that a concurrent process finds a complete file or none. */
function moveIntoPlace(binary: string, target: string): void {
  const draft = `${target}.${process.pid}`
  mkdirSync(dirname(target), { recursive: true })
  copyFileSync(binary, draft)
  chmodSync(draft, 0o755)
  renameSync(draft, target)
}
