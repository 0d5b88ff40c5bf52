// Gets a nats-server from the package archive this machine already trusts. Released Debian and Ubuntu carry
// one that is too old, their development suite does not, and its single binary runs on older releases too.
// Nothing is installed: apt works in a folder of its own, checks the archive's signature, needs no root.

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

/** The development suite of this distribution, or null where there is no apt archive to ask. */
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
    if (!archive) throw new Error('apt-get download gave no package')
    await run('dpkg', ['-x', join(work, archive), join(work, 'unpacked')], { timeout })
    keep(join(work, 'unpacked', 'usr', 'sbin', 'nats-server'), target)
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
    // Else apt, started by root, steps down to a user that may not write into our folder.
    'APT::Sandbox::User=root',
  ]
  return ['-q', ...options.flatMap((option) => ['-o', option])]
}

/** Where this machine gets its own packages from: a mirror chosen by its owner, never one named here. */
async function archiveUri(component: string): Promise<string> {
  const format = '$(REPO_URI) $(RELEASE) $(COMPONENT)'
  // Without release information the answer comes from the configuration alone, before any update.
  const args = ['indextargets', '--no-release-info', '--format', format, 'Created-By: Packages']
  const { stdout } = await run('apt-get', args, { timeout })
  const codename = osRelease().VERSION_CODENAME
  const targets = stdout.split('\n').map((line) => line.split(' '))
  const uri = targets.find(([, release, of]) => release === codename && of === component)?.[0]
  if (!uri) throw new Error(`apt has no source for ${codename} ${component}`)
  return uri
}

function osRelease(): NodeJS.Dict<string> {
  return existsSync('/etc/os-release') ? parseEnv(readFileSync('/etc/os-release', 'utf8')) : {}
}

/** By rename, so that a process that looks at the same time finds a whole file or none. */
function keep(binary: string, target: string): void {
  const draft = `${target}.${process.pid}`
  mkdirSync(dirname(target), { recursive: true })
  copyFileSync(binary, draft)
  chmodSync(draft, 0o755)
  renameSync(draft, target)
}
