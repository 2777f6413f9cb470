// A user browses their lists.

const lists = ['/agent-runs', '/approvals?status=all', '/conversations', '/activity', '/automations'];

/** One page of one list, chosen evenly. The events of the user's newest conversation count as a sixth list. */
export const looks = {
  kind: 'list',
  async run({ user, ledger }) {
    const newest = ledger.newest.get(user) ?? null;
    const all = newest === null ? lists : [...lists, `/conversations/${newest}/events`];
    await user.get(all[Math.floor(Math.random() * all.length)]);
  },
};
