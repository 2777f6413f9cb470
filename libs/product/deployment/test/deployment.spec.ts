import { CommandBus } from '@nestjs/cqrs';
import { DeploymentControls, PauseControl, ResumeControl } from '@app/deployment';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventsOf, type Replica, Slices, testCause } from '@app/testing/slices';

let slices: Slices;
let replicas: Replica[];
beforeAll(async () => {
  slices = await Slices.start();
  replicas = [await slices.replica({ projecting: false }), await slices.replica({ projecting: false })];
});
afterAll(() => slices.stop());

const paused = () => Promise.all(replicas.map(({ get }) => get(DeploymentControls).isPaused('runs')));
const change = { control: 'runs', reason: 'incident', cause: testCause() } as const;

describe('a control of the deployment', () => {
  it('is obeyed by every replica once the call has answered', async () => {
    const [first] = replicas;
    expect(await paused()).toEqual([false, false]);
    await first!.get(CommandBus).execute(new PauseControl(change));
    expect(await paused()).toEqual([true, true]);
    await first!.get(CommandBus).execute(new PauseControl(change));
    expect(await first!.get(DeploymentControls).controls()).toMatchObject({
      runs: { reason: 'incident' },
      automations: null,
      withdrawals: null,
    });
    await first!.get(CommandBus).execute(new ResumeControl(change));
    expect(await paused()).toEqual([false, false]);
    expect(await eventsOf(first!, ['deployment-main'])).toHaveLength(2);
  });

  it('is obeyed soon also by replicas that ask for it all the time', async () => {
    const pausing = replicas[0]!.get(CommandBus).execute(new PauseControl(change));
    while (!(await paused()).every(Boolean)) await sleep(5);
    await pausing;
    await replicas[1]!.get(CommandBus).execute(new ResumeControl(change));
  });
});
