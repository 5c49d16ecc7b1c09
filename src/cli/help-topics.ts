/** Topics of `help` that are no commands. */
import { globalFlags } from './command.ts';
import { pluginNames } from './plugins.ts';
import type { CliIo } from './io.ts';

interface Topic {
  readonly summary: string;
  text(io: Pick<CliIo, 'env' | 'program'>): string;
}

const basics = `grigri deploys applications on machines, relates them and looks after them: Juju's commands, models and
charms.

Starter commands:

    bootstrap           Initializes a cloud environment.
    add-model           Adds a workload model.
    deploy              Deploys a new application or bundle.
    integrate           Integrate two applications.
    pending             Lists the applications that wait for required relations.
    expose              Makes an application publicly available over the network.
    status              Report the status of the model, its machines, applications and units.
    models              Lists models a user can access on a controller.
    controllers         Lists all controllers.
    add-unit            Adds one or more units to a deployed application.
    config              Get, set, or reset configuration for a deployed application.
    ssh                 Initiates an SSH session or executes a command on a machine.
    debug-log           Displays log messages for a model.
    destroy-model       Terminate all machines and resources for a model.

See "grigri help commands" for all of them, "grigri help <command>" for one, and "grigri help topics" for more.
`;

/** Variables of the environment, with what each is for. */
export const variables: Readonly<Record<string, string>> = {
  JUJU_CONTROLLER: 'Controller to operate in; -c overrides it.',
  JUJU_MODEL: 'Model to operate in, [<controller name>:]<model name>|<model UUID>; -m overrides it.',
  JUJU_DATA: "Directory of the client's files. Without it: $XDG_DATA_HOME/juju, else ~/.local/share/juju.",
  JUJU_LOGGING_CONFIG:
    'At bootstrap: logging-config of the models that it makes, unless --config or --model-default has it.',
  JUJU_STARTUP_LOGGING_CONFIG:
    'Log levels of this program: with <root>=DEBUG or TRACE it says more, as with --debug.',
  JUJU_STATUS_ISO_TIME: 'true: times in tables are in UTC and ISO 8601.',
  JUJU_CLI_VERSION: 'Accepted without effect: there is one version of the command line.',
  JUJU_FEATURES: 'Accepted without effect: no feature is hidden behind a flag.',
  NO_COLOR: 'Set to anything: no colours, unless --color is given.',
  GRIGRI_DEBUG: 'Set to anything: errors come with the place in the program where they arose.',
  GRIGRI_PROVIDERS: 'Modules of further clouds, separated by commas.',
};

export const topics: Readonly<Record<string, Topic>> = {
  basics: { summary: 'Basic help for all commands', text: () => basics },
  commands: { summary: 'Basic help for all commands', text: () => '' },
  environment: {
    summary: 'Variables of the environment that change what commands do',
    text: () => rows(Object.entries(variables)),
  },
  'global-options': {
    summary: 'Options common to all commands',
    text: () => rows(Object.values(globalFlags).map((flag) => [flag.names.join(', '), flag.description])),
  },
  plugins: {
    summary: 'Commands of your own',
    text: ({
      env,
      program,
    }) => `A program ${program}-NAME in a directory of $PATH is the command NAME: "${program} NAME" runs it with the arguments
that follow. What its flags -m and -c name is in $JUJU_MODEL and $JUJU_CONTROLLER. Commands of grigri's own come first.

Plugins found:
${rows(pluginNames({ env, program }).map((name) => [`    ${name}`, ''])) || '    none\n'}`,
  },
  topics: {
    summary: 'Topic list',
    text: () => rows(Object.entries(topics).map(([name, { summary }]) => [name, summary])),
  },
};

function rows(list: readonly (readonly [string, string])[]): string {
  const width = Math.max(0, ...list.map(([name]) => name.length));
  return list.map(([name, text]) => `${`${name.padEnd(width)}  ${text}`.trimEnd()}\n`).join('');
}
