/** The tree of all commands. Help, completion and the reference are generated from it. */
import { Command } from 'commander'
import { clockCommands } from './commands/clock.ts'
import { completionCommands } from './commands/completion.ts'
import { doctorCommand } from './commands/doctor.ts'
import { eventsTail } from './commands/events.ts'
import { listenCommand } from './commands/listen.ts'
import { logsCommands } from './commands/logs.ts'
import { migrateCommand } from './commands/migrate.ts'
import { objectCommands } from './commands/objects.ts'
import { openCommand } from './commands/open.ts'
import { resendCommand } from './commands/resend.ts'
import { routesCommands } from './commands/routes.ts'
import { searchCommand } from './commands/search.ts'
import { seedCommand } from './commands/seed.ts'
import { sessionCommands } from './commands/session.ts'
import { triggerCommand } from './commands/trigger.ts'
import { verifyCommand } from './commands/verify.ts'
import { whyCommand } from './commands/why.ts'
import { exitMeanings } from './exit.ts'
import { nouns as knownNouns } from './nouns.generated.ts'
import type { Noun } from './nouns.ts'

export function createProgram(nouns: readonly Noun[] = knownNouns): Command {
  const program = new Command('switchyard')
    .description('Payments and recurring billing from the command line')
    .version('0.1.0', '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    // Subcommands inherit this: commander throws instead of exiting, and main.ts sets the exit code.
    .exitOverride()
    .showHelpAfterError('(add --help to show help)')
    .addHelpText(
      'after',
      `\nExit codes:\n${exitMeanings.map(([code, about]) => `  ${String(code).padEnd(5)}${about}`).join('\n')}`,
    )
  sessionCommands(program)
  listenCommand(program)
  triggerCommand(program)
  resendCommand(program)
  verifyCommand(program)
  logsCommands(program)
  whyCommand(program)
  routesCommands(program)
  clockCommands(program)
  searchCommand(program)
  seedCommand(program)
  openCommand(program, nouns)
  doctorCommand(program)
  migrateCommand(program)
  completionCommands(program)
  eventsTail(objectCommands(program, nouns).events)
  return program
}
