/** The relay's Worker in workerd as a server of `npm run worker`: settings from the environment, until SIGTERM. */
import { bundleWorker, startWorkerd } from './workerd.ts';

/** Variables of the environment that are settings of the Worker; the others say where it runs. */
const isSetting = (name: string): boolean => /^(RELAY|NEWSLETTER)_/.test(name) && !ofServer.includes(name);

const ofServer: readonly string[] = ['RELAY_PORT', 'RELAY_HOST', 'RELAY_STORE', 'RELAY_LOG_FORMAT'];

const { RELAY_PORT: port = '4020', WORKER_STORAGE: storage = '' } = process.env;
const { workerd } = await startWorkerd(await bundleWorker(), {
  port: Number(port),
  storage,
  variables: Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (isSetting(name) && value ? [[name, value]] : [])),
  ),
  onLine: (line) => process.stdout.write(`${line}\n`),
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => void workerd.dispose().then(() => process.exit(0)));
